//! The programs of numactl's family under their names, compared with the
//! originals where these are installed.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};

use crate::user::{User, nearfar, refusal, skip, stderr, stdout, unchanged_settings};

/// A folder of links, as `nearfar alias` makes it.
fn links() -> (User, PathBuf) {
    let user = User::new();
    let folder = user.folder().join("bin");
    fs::create_dir(&folder).unwrap();
    let made = user.run(&["alias", folder.to_str().unwrap()]);
    assert!(made.status.success(), "{}", stderr(&made));
    (user, folder)
}

fn run(folder: &Path, name: &str, args: &[&str]) -> Output {
    Command::new(folder.join(name)).args(args).env_remove("NUMASTAT_WIDTH").output().unwrap()
}

/// The original program; `None`, with a message, if numactl is not installed.
fn original(name: &str, args: &[&str]) -> Option<Output> {
    let path = Path::new("/usr/bin").join(name);
    let theirs = path.exists() && fs::canonicalize(&path).is_ok_and(|to| to == path);
    if !theirs {
        skip(&format!("{} is not installed: apt-get install numactl", path.display()));
        return None;
    }
    Some(Command::new(path).args(args).env_remove("NUMASTAT_WIDTH").output().unwrap())
}

/// A program that waits, until dropped.
struct Sleeper(Child);

impl Sleeper {
    fn start() -> Self {
        Self(Command::new("sleep").arg("600").spawn().unwrap())
    }

    fn pid(&self) -> String {
        self.0.id().to_string()
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// A line as scripts cut it: its words, numbers aside, and the column at which each word ends.
fn cut(text: &str) -> Vec<Vec<(usize, String)>> {
    let line = |line: &str| {
        let chars: Vec<char> = line.chars().collect();
        let ends = (0..chars.len())
            .filter(|&at| chars[at] != ' ' && chars.get(at + 1).is_none_or(|next| *next == ' '));
        let words = line.split_whitespace();
        ends.zip(words).map(|(end, word)| (end, without_digits(word))).collect()
    };
    text.lines().map(line).collect()
}

fn without_digits(word: &str) -> String {
    if word.parse::<f64>().is_ok() { "#".to_owned() } else { word.to_owned() }
}

#[test]
fn alias_makes_links_and_overwrites_no_other_file() {
    let (user, folder) = links();
    let mut names: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["memhog", "migratepages", "migspeed", "numactl", "numademo", "numastat"]);
    let again = user.run(&["alias", folder.to_str().unwrap()]);
    assert!(again.status.success(), "links of its own are renewed: {}", stderr(&again));

    let taken = user.folder().join("taken");
    fs::create_dir(&taken).unwrap();
    symlink("/bin/true", taken.join("numastat")).unwrap();
    let (status, message) = refusal(&user.run(&["alias", taken.to_str().unwrap()]));
    assert!(status == 1 && message.contains("not to nearfar"), "{message}");
    assert_eq!(fs::read_dir(&taken).unwrap().count(), 1, "no link is made at all");
    let (_, message) = refusal(&user.run(&["alias", "/nonexistent"]));
    assert!(message.contains("is not a folder"), "{message}");
}

#[test]
fn numastats_tables_wrap_as_the_originals() {
    let (_user, folder) = links();
    let sleeper = Sleeper::start();
    let (pid, other) = (std::process::id().to_string(), sleeper.pid());
    let shapes: [&[&str]; 8] = [
        &[],
        &["-n"],
        &["-c"],
        &["-z"],
        &["-p", &other],
        &["-cs", "-p", &other],
        &["-v", &pid, &other],
        &["-s0", &pid, &other],
    ];
    for args in shapes {
        let ours = run(&folder, "numastat", args);
        assert!(ours.status.success(), "{args:?}: {}", stderr(&ours));
        let Some(theirs) = original("numastat", args) else { return };
        let (ours, theirs) = (cut(&stdout(&ours)), cut(&stdout(&theirs)));
        // Narrow columns follow their numbers, which grow between two calls.
        if args.iter().any(|word| word.starts_with("-c")) {
            let words = |lines: &[Vec<(usize, String)>]| -> Vec<usize> {
                lines.iter().map(Vec::len).collect()
            };
            assert_eq!(words(&ours), words(&theirs), "{args:?}");
        } else {
            assert_eq!(ours, theirs, "{args:?}");
        }
    }
}

#[test]
fn numastats_memory_has_the_originals_lines() {
    let (_user, folder) = links();
    let ours = stdout(&run(&folder, "numastat", &["-m"]));
    let Some(theirs) = original("numastat", &["-m"]) else { return };
    let names = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.starts_with("Token"));
        lines.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
    };
    let (ours, theirs) = (names(&ours), names(&stdout(&theirs)));
    assert_eq!(ours[..theirs.len()], theirs[..], "what the original does not know follows");
}

#[test]
fn numastat_reports_what_it_cannot_read() {
    let (_user, folder) = links();
    let unknown = run(&folder, "numastat", &["-x"]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(stderr(&unknown).contains("Usage: numastat") && stdout(&unknown).is_empty());
    for args in [&["4194305"][..], &["-p", "no process has such a name"]] {
        // In a PID namespace a second line reports that others are not visible.
        let output = run(&folder, "numastat", args);
        let message = stderr(&output);
        assert!(message.lines().all(|line| line.starts_with("numastat: ")), "{message}");
        assert!(output.status.code() == Some(1) && !message.is_empty(), "{message}");
    }
    let (status, message) = refusal(&run(&folder, "numastat", &["-p", ""]));
    assert!(
        status == 1 && message.starts_with("numastat: '' is neither a process ID nor a name"),
        "{message}"
    );
    let some = run(&folder, "numastat", &["4194305", &std::process::id().to_string()]);
    assert_eq!(some.status.code(), Some(1));
    assert!(stdout(&some).contains("Total"), "the other process is still shown");
}

/// Two sparse nodes, and a process on pages of three sizes.
fn machine(user: &User) -> PathBuf {
    let root = user.folder().join("machine");
    let files = [
        ("sys/devices/system/node/node0/numastat", "numa_hit 5\n"),
        ("sys/devices/system/node/node0/meminfo", "Node 0 MemTotal: 2048 kB\n"),
        ("sys/devices/system/node/node255/numastat", "numa_hit 7\n"),
        ("sys/devices/system/node/node255/meminfo", "Node 255 MemTotal: 0 kB\n"),
        ("proc/meminfo", "Hugepagesize: 2048 kB\n"),
        ("proc/42/comm", "database\n"),
        (
            "proc/42/numa_maps",
            "1000 default file=/mnt/a huge dirty=2 N255=2 kernelpagesize_kB=1048576\n2000 default \
             huge anon=3 N0=3 kernelpagesize_kB=2048\n3000 default heap anon=256 N0=256 \
             kernelpagesize_kB=4\n",
        ),
    ];
    for (path, content) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    root
}

#[test]
fn numastat_counts_huge_pages_of_every_size() {
    let (user, folder) = links();
    let root = machine(&user);
    let text = stdout(&run(&folder, "numastat", &["--root", root.to_str().unwrap(), "-p", "42"]));
    let lines: Vec<Vec<&str>> =
        text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert!(text.contains("PID 42 (database)") && text.contains("Node 255"), "{text}");
    assert!(lines.contains(&vec!["Huge", "6.00", "2048.00", "2054.00"]), "{text}");
    assert!(lines.contains(&vec!["Heap", "1.00", "0.00", "1.00"]), "{text}");
    assert!(lines.contains(&vec!["Total", "7.00", "2048.00", "2055.00"]), "{text}");

    let json = stdout(&run(
        &folder,
        "numastat",
        &["--root", root.to_str().unwrap(), "--json", "database"],
    ));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["schema"], "nearfar.numastat/1");
    assert_eq!(json["nodes"][1]["node"], 255);
    assert_eq!(json["processes"][0]["nodes"][1]["huge_bytes"], 2u64 << 30);
}

#[test]
fn a_narrow_screen_folds_numastats_tables() {
    let (user, folder) = links();
    let root = machine(&user);
    let mut narrow = Command::new(folder.join("numastat"));
    let output = narrow
        .args(["--root", root.to_str().unwrap(), "-n"])
        .env("NUMASTAT_WIDTH", "40")
        .output()
        .unwrap();
    assert_eq!(stdout(&output).matches("Numa_Hit").count(), 3, "{}", stdout(&output));
}

#[test]
fn migratepages_fails_if_pages_stay() {
    let (_user, folder) = links();
    let sleeper = Sleeper::start();
    let pid = sleeper.pid();
    let moved = run(&folder, "migratepages", &[&pid, "all", "all"]);
    let absent = run(&folder, "migratepages", &[&pid, "0", "1023"]);
    assert!(moved.status.success(), "{}", stderr(&moved));
    assert_eq!((stdout(&moved), stderr(&moved)), (String::new(), String::new()));
    let (status, message) = refusal(&absent);
    assert!(status == 1 && message.contains("1023"), "{message}");

    let (status, message) = refusal(&run(&folder, "migratepages", &["4194305", "all", "all"]));
    assert!(
        status == 1 && message.starts_with("migratepages: ") && message.contains("4194305"),
        "{message}"
    );
    let usage = run(&folder, "migratepages", &["1", "0"]);
    assert!(usage.status.code() == Some(1) && stderr(&usage).contains("usage: migratepages pid"));
}

#[test]
fn memhog_accepts_every_policy_and_reports_errors() {
    let (user, folder) = links();
    for args in [
        &["-r2", "25m"][..],
        &["-H", "11m", "interleave", "all"],
        &["1m", "--membind", "all"],
        &["1m", "local"],
        &["1m", "default"],
    ] {
        let ours = run(&folder, "memhog", args);
        assert!(ours.status.success(), "{args:?}: {}", stderr(&ours));
        if let Some(theirs) = original("memhog", args) {
            assert_eq!(stdout(&ours), stdout(&theirs), "{args:?}");
        }
    }
    for (args, part) in [(&["1m", "membind", "1023"][..], "1023"), (&["1000000000g"], "memory")] {
        let (status, message) = refusal(&run(&folder, "memhog", args));
        assert!(status == 1 && message.contains(part), "{message}");
    }
    for args in [&[][..], &["0"], &["1m", "nowhere"], &["1m", "membind"]] {
        let wrong = run(&folder, "memhog", args);
        assert!(wrong.status.code() == Some(1) && stdout(&wrong).is_empty(), "{args:?}");
        assert!(stderr(&wrong).contains("Policies: "), "{args:?}");
    }
    let file = user.folder().join("pool");
    fs::write(&file, vec![0; 4096]).unwrap();
    let over = |size: &str| {
        run(&folder, "memhog", &[&format!("-f{}", file.display()), size, "preferred", "0"])
    };
    let (_, message) = refusal(&over("8k"));
    assert!(message.contains("truncate -s 8192"), "{message}");
    assert!(over("4k").status.success());
    assert_eq!(fs::read(&file).unwrap(), vec![0xff; 4096]);
}

#[test]
fn migspeed_prints_a_rate_and_the_mapping() {
    let (_user, folder) = links();
    let output = run(&folder, "migspeed", &["-v", "-p", "64", "all", "all"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("Starting test\n") && text.matches(" bind").count() == 2, "{text}");
    let last: Vec<&str> = text.lines().last().unwrap().split(' ').collect();
    assert_eq!(
        [last[1], last[2], last[3], last[5]],
        ["Mbyte", "migrated", "in", "secs."],
        "{text}"
    );
    assert!(last[6].parse::<f64>().unwrap() >= 0.0 && last[7] == "Mbytes/second", "{text}");
    assert_eq!(run(&folder, "migspeed", &["-p", "x", "0", "0"]).status.code(), Some(1));
}

#[test]
fn numademo_times_every_exercise_random2_included() {
    let (_user, folder) = links();
    let _settings = unchanged_settings();
    let output = run(&folder, "numademo", &["-S", "-c", "1m"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    for exercise in ["memset", "memcpy", "forward", "backward", "random2", "ptrchase"] {
        let lines: Vec<Vec<&str>> = text
            .lines()
            .map(|line| line.split(',').collect())
            .filter(|fields: &Vec<_>| fields.get(1) == Some(&exercise))
            .collect();
        assert!(lines.len() >= 7, "{exercise}: {text}");
        for fields in lines {
            assert_eq!(
                [fields[2], fields[4], fields[6], fields[10]],
                ["Avg", "MB/s", "Max", "Min"],
                "{fields:?}"
            );
            let rates = [3, 7, 11].map(|at| fields[at].parse::<f64>().unwrap());
            assert!(rates.iter().all(|rate| rate.is_finite() && *rate >= 0.0), "{fields:?}");
        }
    }
    assert!(text.contains("memory with no policy,STREAM,Copy,"), "{text}");
    for args in [&[][..], &["0"], &["1m", "dance"]] {
        assert_eq!(run(&folder, "numademo", args).status.code(), Some(1), "{args:?}");
    }
}

#[test]
fn native_commands_give_the_same_as_text_and_json() {
    let user = User::new();
    let sleeper = Sleeper::start();
    let pid = sleeper.pid();
    let json = user.run(&["move", &pid, "--from", "all", "--nodes", "all", "--json"]);
    let text = user.run(&["move", &pid, "--from", "all", "--nodes", "all"]);
    let json: serde_json::Value = serde_json::from_str(&stdout(&json)).unwrap();
    assert_eq!(
        (&json["schema"], &json["failed_pages"]),
        (&"nearfar.migration/1".into(), &0.into())
    );
    assert!(stdout(&text).starts_with(&format!("process {pid}, from nodes ")), "{}", stdout(&text));

    for (args, status) in [
        (&["stat"][..], 2),
        (&["migrate", "x", "0", "0"], 2),
        (&["move", "pid:x", "--from", "0", "--nodes", "0"], 2),
    ] {
        let output = user.run(args);
        assert_eq!(output.status.code(), Some(status), "{args:?}: {}", stderr(&output));
    }
    assert!(Path::new(nearfar()).exists());
}

#[test]
fn an_old_name_names_the_new_one() {
    let output = User::new().run(&["stat", "--json"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stderr(&output), "nearfar: 'stat' is now 'top --once'\n");
}
