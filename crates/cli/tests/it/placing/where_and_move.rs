//! `nearfar where` and `nearfar move`, as a user runs them.

use std::fs;
use std::process::{Child, Command};

use crate::user::{User, confined, nearfar, refusal, stderr, stdout, wait_for};

/// A process of this user, with a name that no other process has.
pub(super) struct Sleeper {
    child: Child,
    _folder: tempfile::TempDir,
}

impl Sleeper {
    pub(super) fn called(name: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join(name);
        std::os::unix::fs::symlink("/bin/sleep", &program).unwrap();
        let child = Command::new(&program).arg("600").spawn().expect("sleep starts");
        let sleeper = Self { child, _folder: folder };
        sleeper.wait_until_asleep();
        sleeper
    }

    /// Until it sleeps it loads libraries, so its memory still grows.
    fn wait_until_asleep(&self) {
        let stat = format!("/proc/{}/stat", self.child.id());
        wait_for("sleep sleeps", || {
            fs::read_to_string(&stat).is_ok_and(|stat| stat.contains(") S "))
        });
    }

    pub(super) fn pid(&self) -> String {
        self.child.id().to_string()
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_process_is_shown_by_id_and_by_name() {
    let sleeper = Sleeper::called("nf-sleeper-a");
    for selector in [&sleeper.pid(), "nf-sleeper-a"] {
        let output = User::new().run(&["where", selector, "--threads", "--mappings"]);
        assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
        let shown = stdout(&output);
        assert!(
            shown.starts_with(&format!("nf-sleeper-a (process {}): ", sleeper.pid())),
            "{shown}"
        );
        for part in ["\nstack ", "\nfile ", "\ntotal ", "\nthreads ", "may run on CPUs", "libc"] {
            assert!(shown.contains(part), "{part} in\n{shown}");
        }
    }
}

#[test]
fn targets_have_one_grammar() {
    let sleeper = Sleeper::called("nf-sleeper-t");
    let pid = sleeper.pid();
    for selector in [&["-p", &pid][..], &["--pid", &pid], &[&format!("pid:{pid}")]] {
        let args = [&["where"], selector].concat();
        let shown = stdout(&User::new().run(&args));
        assert!(shown.starts_with("nf-sleeper-t (process "), "{selector:?}: {shown}");
    }
    for selector in ["nf-sleeper-t", "name:nf-sleeper-t", "pid:{pid}"] {
        let selector = selector.replace("{pid}", &pid);
        let output = User::new().run(&["move", &selector, "--nodes", "all"]);
        assert_eq!(output.status.code(), Some(0), "{selector}: {}", stderr(&output));
    }
    let _other = Sleeper::called("nf-sleeper-t");
    let (status, message) = refusal(&User::new().run(&["move", "nf-sleeper-t", "--nodes", "all"]));
    assert_eq!(status, 2);
    assert!(message.contains("2 processes have the name 'nf-sleeper-t'"), "{message}");
    assert!(message.contains(&pid), "{message}");
}

#[test]
fn several_processes_of_a_name_have_a_line_each() {
    let sleepers = [Sleeper::called("nf-sleeper-b"), Sleeper::called("nf-sleeper-b")];
    let json: serde_json::Value =
        serde_json::from_str(&stdout(&User::new().run(&["where", "nf-sleeper-b", "--json"])))
            .unwrap();
    assert_eq!(
        (json["schema"].as_str(), json["processes"].as_array().unwrap().len()),
        (Some("nearfar.where/1"), 2)
    );
    let process = &json["processes"][0];
    let sum = |part: &str| {
        process[part]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["bytes"].as_u64().unwrap())
            .sum::<u64>()
    };
    let total = process["total_bytes"].as_u64().unwrap();
    assert!(
        total > 0 && [sum("kinds"), sum("policies"), sum("mappings"), sum("by_node")] == [total; 4],
        "{process}"
    );
    let shown = stdout(&User::new().run(&["where", "nf-sleeper-b"]));
    assert!(sleepers.iter().all(|sleeper| shown.contains(&sleeper.pid())), "{shown}");
    assert!(shown.contains("/nf-sleeper-b 600\n") && shown.contains("\ntotal "), "{shown}");
    for (option, title) in [("--mappings", "policy   name"), ("--threads", "may run on CPUs")] {
        let shown = stdout(&User::new().run(&["where", "nf-sleeper-b", option]));
        assert!(
            sleepers
                .iter()
                .all(|sleeper| shown.contains(&format!("(process {}): ", sleeper.pid()))),
            "{shown}"
        );
        assert_eq!(shown.matches(title).count(), 2, "{option}: {shown}");
    }
}

#[test]
fn csv_has_a_line_for_each_process_and_node() {
    let sleepers = [Sleeper::called("nf-sleeper-v"), Sleeper::called("nf-sleeper-v")];
    let csv = stdout(&User::new().run(&["where", "nf-sleeper-v", "--csv"]));
    assert!(csv.starts_with("pid,name,node,bytes,remote_share\n"), "{csv}");
    for sleeper in &sleepers {
        let start = format!("{},nf-sleeper-v,0,", sleeper.pid());
        assert!(csv.lines().any(|line| line.starts_with(&start)), "{csv}");
    }
}

/// A captured machine whose log has a kill; the service is gone, and its group.
#[test]
fn a_service_that_the_kernel_killed_is_explained() {
    let user = User::new();
    let root = user.folder().join("root");
    let write = |path: &str, text: &str| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("proc/mounts", "c /sys/fs/cgroup cgroup2 rw 0 0\n");
    write("sys/fs/cgroup/cgroup.procs", "");
    write("sys/devices/system/node/online", "0-1\n");
    write("proc/9/comm", "mysqld\n");
    write("proc/9/cmdline", "mysqld\0");
    write("proc/9/numa_maps", "1000 default anon=4 N0=1 N1=3 kernelpagesize_kB=4\n");
    let kill = |program: &str, pid: u32| {
        format!(
            "[  712.4] {program} invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0\n\
             [  712.4] Node 1 Normal free:50399232kB boost:0kB min:67584kB low:84480kB\n\
             [  712.5] oom-kill:constraint=CONSTRAINT_MEMORY_POLICY,nodemask=0,cpuset=/,\
             mems_allowed=0-1,global_oom,task_memcg=/system.slice/{program}.service,\
             task={program},pid={pid},uid=27\n"
        )
    };
    let log = "[    0.000000] Linux version 6.12.0 (x)\n".to_owned();
    write("var/log/dmesg", &(log + &kill("postgres", 812) + &kill("mysqld", 7)));
    let root = root.to_str().unwrap();
    let full = "node 0 was full while 48 GiB were free on node 1; bound by its memory policy";
    for word in ["postgres", "system.slice/postgres.service", "cgroup:system.slice"] {
        let (status, line) = refusal(&user.run(&["where", word, "--root", root]));
        assert_eq!(status, 1, "{line}");
        assert!(line.contains(&format!("no process of '{word}' is left: ")), "{line}");
        assert!(line.contains(full), "{line}");
    }
    let shown = stdout(&user.run(&["where", "mysqld", "--root", root]));
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains(&format!("The kernel killed mysqld (process 7): {full}.")), "{shown}");
    let json = stdout(&user.run(&["where", "mysqld", "--root", root, "--json"]));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["killed"][0]["free_elsewhere_bytes"], (50_399_232_u64 - 67_584) * 1024);
    let (_, line) = refusal(&user.run(&["where", "redis", "--root", root]));
    assert!(!line.contains("killed"), "{line}");
}

#[test]
fn denied_calls_leave_where_working_and_are_named_by_move() {
    let sleeper = Sleeper::called("nf-sleeper-c");
    let user = User::new();
    let confine = |args: &[&str]| {
        let words = [&["--deny-memory-policy", "--deny-affinity", nearfar()], args].concat();
        user.through(confined(), &words).output().unwrap()
    };
    let output = confine(&["where", &sleeper.pid()]);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let output = confine(&["move", &sleeper.pid(), "--cpus", "all"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("1 could not be: sched_setaffinity"), "{}", stdout(&output));
}

#[test]
fn move_explains_the_next_pages() {
    let sleeper = Sleeper::called("nf-sleeper-d");
    let output = User::new().run(&["move", &sleeper.pid(), "--cpus", "all", "--nodes", "all"]);
    assert_eq!(
        (output.status.code(), stderr(&output).as_str()),
        (Some(0), ""),
        "{}",
        stdout(&output)
    );
    let shown = stdout(&output);
    assert!(
        shown.contains("1 thread bound to CPUs ") && shown.contains(" are on nodes "),
        "{shown}"
    );
    assert!(
        shown.contains("next pages come from the node of the CPU that touches them"),
        "{shown}"
    );
    let json = stdout(&User::new().run(&["move", &sleeper.pid(), "--nodes", "all", "--json"]));
    assert!(json.starts_with(r#"{"schema":"nearfar.move/1","cpus":null,"nodes":"#), "{json}");
}

#[test]
fn bad_input_fails_with_one_line() {
    let pid = std::process::id().to_string();
    for (args, status, part) in [
        (vec!["where", "1073741823"], 1, "no process 1073741823"),
        (vec!["where", "99999999999"], 2, "'99999999999' is not a process ID"),
        (
            vec!["where", "no-such-name"],
            1,
            "the name 'no-such-name'", // in a PID namespace, of those that are visible
        ),
        (vec!["where", ""], 2, "'' is no process"),
        (vec!["move", "", "--nodes", "all"], 2, "'' is no process"),
        (vec!["move", "99999999999", "--nodes", "all"], 2, "'99999999999' is not a process ID"),
        (vec!["move", "-p", "nosuch", "--nodes", "all"], 2, "'nosuch' is not a process ID"),
        (vec!["move", &pid], 2, "--cpus, --nodes, or both"),
        (vec!["move", &pid, "--nodes", "777"], 1, "node 777 does not exist"),
        (vec!["move", &pid, "--cpus", "0-x"], 2, "CPU list '0-x'"),
        (vec!["move", "1073741823", "--nodes", "all"], 1, "no process 1073741823"),
        (vec!["move", "no/such/group", "--nodes", "all"], 1, "no control group 'no/such/group'"),
        (vec!["explain", "/etc/hostname"], 2, "'/etc/hostname' is a file"),
        (vec!["where", "file:x"], 1, "cannot open x"),
        (vec!["where", "device:eth0"], 2, "'nearfar devices eth0'"),
    ] {
        let (found, message) = refusal(&User::new().run(&args));
        assert_eq!(found, status, "{args:?}: {message}");
        assert!(message.contains(part), "{args:?}: {message}");
    }
}

#[test]
fn a_zombie_is_reported() {
    let mut child = Command::new("true").spawn().unwrap();
    let pid = child.id().to_string();
    let stat = format!("/proc/{pid}/stat");
    wait_for("it is a zombie", || fs::read_to_string(&stat).unwrap().contains(") Z "));
    let (status, message) = refusal(&User::new().run(&["where", &pid]));
    assert_eq!(status, 1);
    assert!(message.contains("is a zombie"), "{message}");
    child.wait().unwrap();
}
