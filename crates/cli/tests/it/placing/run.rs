//! `nearfar run` and the name `numactl`, as users and scripts call them.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Output, Stdio};
use std::thread;

use serde_json::{Value, json};

use crate::user::{User, nearfar, refusal, send, skip, stderr, stdout, wait_for};

fn run(words: &[&str]) -> Output {
    User::new().run(&[&["run"], words].concat())
}

/// Under the name numactl, as `nearfar alias` links it.
fn numactl(words: &[&str]) -> Output {
    let user = User::new();
    let link = user.folder().join("numactl");
    symlink(nearfar(), &link).unwrap();
    Command::new(link).args(words).output().unwrap()
}

#[test]
fn the_programs_status_is_the_status() {
    assert_eq!(run(&["-m", "0", "-N", "0", "sh", "-c", "exit 7"]).status.code(), Some(7));
    assert_eq!(numactl(&["-l", "--", "sh", "-c", "exit 9"]).status.code(), Some(9));
    assert_eq!(run(&["-l", "--watch", "sh", "-c", "exit 5"]).status.code(), Some(5));
}

#[test]
fn failures_have_the_exit_status_of_shells() {
    let (status, message) = refusal(&run(&["no-such-program-7"]));
    assert_eq!(
        (status, message.as_str()),
        (
            127,
            "nearfar: there is no program 'no-such-program-7' in PATH: install it, or give its \
             path"
        )
    );
    assert_eq!(refusal(&run(&["/etc/passwd"])).0, 126);
    assert_eq!(refusal(&run(&["--watch", "no-such-program-7"])).0, 127);
    assert_eq!(refusal(&numactl(&["no-such-program-7"])).0, 1);
}

#[test]
fn wrong_usage_is_one_line() {
    for words in [
        &["-m", "0", "-i", "0", "true"][..],
        &["--pref", "0", "true"],
        &["--length", "10x", "true"],
        &["-N", "0", "-a", "true"],
    ] {
        let (status, message) = refusal(&run(words));
        assert_eq!(status, 2, "{message}");
        let (status, message) = refusal(&numactl(words));
        assert!(status == 1 && message.starts_with("numactl: "), "{message}");
    }
}

#[test]
fn malformed_lists_and_missing_nodes_differ() {
    let pid = std::process::id().to_string();
    let nearfar = |words: &[&str]| refusal(&User::new().run(words));
    for (list, status, why) in [
        ("0-x", 2, "'x' is neither a number"),
        ("", 2, "it is empty"),
        ("0,", 2, "missing beside a comma"),
        ("0 1", 2, "'0 1' contains blanks: separate items by commas"),
        ("same", 2, "there is none before it"),
        ("4294967296", 2, "4294967296 is above the highest number"),
        ("77", 1, "node 77 does not exist"),
        ("!all", 1, "nothing is left"),
    ] {
        for words in [
            &["run", "-m", list, "true"][..],
            &["run", "-N", list, "true"],
            &["move", &pid, "--from", list, "--nodes", "0"],
            &["move", &pid, "--from", "0", "--nodes", list],
            &["move", &pid, "--nodes", list],
        ] {
            let (found, message) = nearfar(words);
            assert!(found == status && message.contains(why), "{words:?} ({found}): {message}");
        }
        assert_eq!(refusal(&numactl(&["-m", list, "true"])).0, 1, "{list}");
    }
    assert_eq!(nearfar(&["run", "-C", "0-x", "true"]).0, 2);
    assert_eq!(nearfar(&["move", &pid, "--cpus", "0-x"]).0, 2);
}

#[test]
fn options_end_at_the_program() {
    let output = run(&["-m", "0", "echo", "-m", "9", "--", "--json"]);
    assert_eq!(stdout(&output), "-m 9 -- --json\n");
}

#[test]
fn membind_with_balancing_starts_the_program_in_either_order() {
    for words in [["-m", "0", "-b", "true"], ["-b", "-m", "0", "true"]] {
        let output = numactl(&words);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    }
}

#[test]
fn the_placement_holds_in_the_program() {
    let output = run(&["-C", "0", "-i", "0", nearfar(), "run", "--show"]);
    let text = stdout(&output);
    assert!(
        text.contains("policy: interleave\n") && text.contains("\nphyscpubind: 0 \n"),
        "{text}"
    );
}

#[test]
fn shared_memory_keeps_its_policy_beyond_the_command() {
    let Ok(folder) = tempfile::tempdir_in("/dev/shm") else {
        return skip("/dev/shm cannot be written");
    };
    let file = folder.path().join("x");
    let file = file.to_str().unwrap();
    let made = numactl(&[
        "--length", "1m", "--offset", "0", "--file", file, "-i", "0", "--touch", "--verify",
    ]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    assert_eq!(
        stdout(&numactl(&["--file", file, "--dump"])),
        "0000000000000000-0000000000100000: interleave : 0 \n"
    );
    assert_eq!(
        stdout(&numactl(&["--file", file, "--dump-nodes"])),
        "0000000000000000-0000000000100000: 0\n"
    );
    let beyond = numactl(&[
        "--offset", "512k", "--length", "64k", "--file", file, "-p", "0", "--touch", "--dump",
    ]);
    assert_eq!(
        stdout(&beyond),
        "0000000000080000-0000000000090000: preferred : 0 \n",
        "{}",
        stderr(&beyond)
    );
}

#[test]
fn shared_memory_is_shown_as_json() {
    let Ok(folder) = tempfile::tempdir_in("/dev/shm") else {
        return skip("/dev/shm cannot be written");
    };
    let file = folder.path().join("x");
    let file = file.to_str().unwrap();
    let shown = run(&[
        "--length",
        "64k",
        "--file",
        file,
        "-i",
        "0",
        "--touch",
        "--dump",
        "--dump-nodes",
        "--verify",
        "--json",
    ]);
    let document: Value =
        serde_json::from_str(&stdout(&shown)).unwrap_or_else(|_| panic!("{}", stderr(&shown)));
    assert_eq!(document["schema"], "nearfar.shared/1");
    let whole = |more: Value| {
        let mut stretch = json!({"start_bytes": 0, "end_bytes": 65536});
        stretch.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!([stretch])
    };
    let answers = json!([
        {"policies": whole(json!({"policy": "interleave", "nodes": "0"}))},
        {"nodes": whole(json!({"node": 0}))},
        {"misplaced": []},
    ]);
    assert_eq!(document["answers"], answers);
}

#[test]
fn what_would_mislead_is_refused() {
    for (words, why) in [
        (&["--json", "true"][..], "--json"),
        (&["--weights", "0=5", "--json"], "--json"),
        (&["--weights", "zero=5"], "'zero' is not a node's number"),
        (&["--file", "/dev/shm/x", "--explain", "-m", "0"], "--explain"),
        (&["--explain", "--as", "docker", "-m", "0"], "--as and --explain answer each by itself"),
        (&["--cpu-compress", "-m", "0", "true"], "--cpu-compress goes with --hardware"),
        (&["--as", "systemd", "true"], "none is given"),
    ] {
        let (status, message) = refusal(&run(words));
        assert!(status == 2 && message.contains(why), "{words:?}: {message}");
    }
}

#[test]
fn numactl_asked_for_help_lists_its_options_and_fails() {
    for word in ["-h", "--help"] {
        let output = numactl(&[word]);
        assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(1), ""));
        assert!(stderr(&output).contains("--membind"), "{}", stderr(&output));
    }
}

/// A watched program is sampled for two seconds; these run for three.
#[test]
fn watch_reports_pages_on_stderr() {
    let output = run(&["-m", "0", "--watch", "--json", "sh", "-c", "echo hello; sleep 3"]);
    assert_eq!(stdout(&output), "hello\n");
    let shown: serde_json::Value = serde_json::from_str(&stderr(&output)).unwrap();
    assert_eq!(
        (&shown["schema"], &shown["elsewhere_bytes"], &shown["wanted"]),
        (&"nearfar.watch/1".into(), &0.into(), &"0".into())
    );
    assert!(shown["nodes"][0]["memory_bytes"].as_u64().unwrap() > 0, "{shown}");
}

#[test]
fn signals_are_passed_on_and_the_status_back() {
    let folder = tempfile::tempdir().unwrap();
    let ready = folder.path().join("ready");
    let script =
        format!("trap 'exit 42' TERM; : > '{}'; while :; do sleep 0.05; done", ready.display());
    let mut child = User::new()
        .command(&["run", "--watch", "sh", "-c", &script])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for("the program is ready", || ready.exists());
    send("TERM", &child);
    assert_eq!(child.wait().unwrap().code(), Some(42));
    let killed = run(&["--watch", "sh", "-c", "kill -KILL $$"]);
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&killed.status), Some(9));
}

#[test]
fn help_shows_every_option_by_example() {
    let help = stdout(&run(&["--help"]));
    for word in [
        "--membind",
        "--weights",
        "--explain",
        "--as",
        "Examples:",
        "nearfar run -N 0 -m 0 PROGRAM",
    ] {
        assert!(help.contains(word), "{word}");
    }
    let usage = stderr(&numactl(&[]));
    assert!(usage.starts_with("usage: numactl") && usage.contains("--preferred-many"), "{usage}");
    assert_eq!(numactl(&[]).status.code(), Some(1));
    assert!(stdout(&numactl(&["--version"])).starts_with("2.0.19"));
}

#[test]
fn watch_counts_child_processes() {
    let watch = |script: &str| {
        let shown: Value = serde_json::from_str(&stderr(&run(&[
            "-m", "0", "--watch", "--json", "sh", "-c", script,
        ])))
        .unwrap();
        let bytes = shown["nodes"][0]["memory_bytes"].as_u64().unwrap();
        (shown["processes"].as_u64().unwrap(), bytes)
    };
    // Looked at too early, on a busy machine, the family is not all there.
    let mut seen = [(0, 0); 2];
    wait_for("the whole family is seen", || {
        seen = thread::scope(|scope| {
            let family = scope.spawn(|| watch("sleep 3 & (sleep 3; :) & wait"));
            [watch("exec sleep 3"), family.join().unwrap()]
        });
        seen[1].0 >= 3
    });
    let [(alone, for_one), (_, of_three)] = seen;
    assert_eq!(alone, 1);
    assert!(of_three > for_one, "{of_three} and {for_one}");
}

#[test]
fn what_numactl_ignores_is_ignored_with_a_warning() {
    let (status, message) = refusal(&numactl(&["--cpu-compress", "-l", "true"]));
    assert_eq!(
        (status, message.as_str()),
        (0, "numactl: warning: --cpu-compress goes with --hardware, and is ignored here")
    );
    assert!(stdout(&numactl(&["-H", "-s"])).starts_with("available: "));
}

#[test]
fn a_translation_may_be_only_a_comment() {
    assert!(stdout(&run(&["--as", "libvirt", "-l"])).starts_with("<!-- Local is "));
}

#[test]
fn touching_reports_a_full_file_system() {
    let user = User::new();
    let disk = user.folder().join("disk");
    fs::create_dir(&disk).unwrap();
    let script = format!(
        "mount -t tmpfs -o size=64k none {0} || exit 99; '{1}' run --length 1m --file {0}/x -l \
         --touch 2>&1 | grep -v made",
        disk.display(),
        nearfar()
    );
    let output = user
        .through("unshare", &["--mount", "sh", "-c", &script])
        .output()
        .expect("unshare starts");
    let message = stdout(&output);
    if message.is_empty() {
        return skip(&format!("a small disk cannot be mounted here: {}", stderr(&output).trim()));
    }
    assert!(
        message.starts_with(
            "nearfar: --touch: first touch found no page for some of 1 MiB: the file system is \
             full"
        ),
        "{message}"
    );
}

#[test]
fn manual_pages_give_the_programs_version() {
    let page = stdout(&User::new().run(&["man", "run"]));
    let version = stdout(&User::new().run(&["--version"]));
    // The commit is not part of the release.
    let release = version.split(" (").next().unwrap_or_default().trim();
    let title = page.lines().find(|line| line.starts_with(".TH NEARFAR-RUN 1 "));
    assert!(title.is_some_and(|title| title.contains(&format!("\"{release}\""))), "{page}");
}
