//! `nearfar where` and `nearfar move`, as a user runs them.

use std::fs;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

use crate::user::{User, confined, nearfar, refusal, skip, stderr, stdout, wait_for};

/// A process of the user's own, by a name that nobody else has.
struct Sleeper {
    child: Child,
    _folder: tempfile::TempDir,
}

impl Sleeper {
    fn called(name: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join(name);
        std::os::unix::fs::symlink("/bin/sleep", &program).unwrap();
        let child = Command::new(&program).arg("600").spawn().expect("sleep starts");
        let sleeper = Self { child, _folder: folder };
        sleeper.wait_until_asleep();
        sleeper
    }

    /// Before it sleeps it loads its libraries, and has less memory than it will.
    fn wait_until_asleep(&self) {
        let stat = format!("/proc/{}/stat", self.child.id());
        wait_for("sleep sleeps", || {
            fs::read_to_string(&stat).is_ok_and(|stat| stat.contains(") S "))
        });
    }

    fn pid(&self) -> String {
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
fn a_process_is_shown_by_number_and_by_name() {
    let sleeper = Sleeper::called("nf-sleeper-a");
    for meant in [&sleeper.pid(), "nf-sleeper-a"] {
        let output = User::new().run(&["where", meant, "--threads", "--mappings"]);
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
fn json_adds_up_and_several_processes_of_a_name_have_a_line_each() {
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
fn where_works_where_the_policy_calls_are_denied_and_move_says_what_is_denied() {
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
    assert!(stdout(&output).contains("1 not: sched_setaffinity"), "{}", stdout(&output));
}

#[test]
fn a_process_is_moved_and_the_next_pages_are_explained() {
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
fn bad_input_gets_one_line_and_its_status() {
    let pid = std::process::id().to_string();
    for (args, status, part) in [
        (vec!["where", "1073741823"], 1, "there is no process 1073741823"),
        (vec!["where", "99999999999"], 2, "'99999999999' is no process number"),
        (vec!["where", "nobody-is-called-so"], 1, "no process is called 'nobody-is-called-so'"),
        (vec!["where", ""], 2, "'' names nothing"),
        (vec!["stat", ""], 2, "'' names nothing"),
        (vec!["stat", "99999999999"], 2, "'99999999999' is no process number"),
        (vec!["move", "", "--nodes", "all"], 2, "'' names nothing"),
        (vec!["move", "99999999999", "--nodes", "all"], 2, "'99999999999' is no process number"),
        (vec!["migrate", "nosuch", "0", "0"], 2, "'nosuch' is no process number"),
        (vec!["move", &pid], 2, "--cpus, --nodes, or both"),
        (vec!["move", &pid, "--nodes", "777"], 1, "node 777 does not exist"),
        (vec!["move", &pid, "--cpus", "0-x"], 2, "CPU list '0-x'"),
        (vec!["move", "1073741823", "--nodes", "all"], 1, "there is no process 1073741823"),
        (vec!["move", "no/such/group", "--nodes", "all"], 1, "no control group 'no/such/group'"),
    ] {
        let (found, said) = refusal(&User::new().run(&args));
        assert_eq!(found, status, "{args:?}: {said}");
        assert!(said.contains(part), "{args:?}: {said}");
    }
}

#[test]
fn a_zombie_has_no_memory_and_is_told_as_such() {
    let mut child = Command::new("true").spawn().unwrap();
    let pid = child.id().to_string();
    let stat = format!("/proc/{pid}/stat");
    wait_for("it is a zombie", || fs::read_to_string(&stat).unwrap().contains(") Z "));
    let (status, said) = refusal(&User::new().run(&["where", &pid]));
    assert_eq!(status, 1);
    assert!(said.contains("has ended and waits for its parent"), "{said}");
    child.wait().unwrap();
}

/// Needs to be root, to become nobody.
#[test]
fn another_user_s_process_is_refused_in_a_line() {
    let pid = std::process::id().to_string();
    let program = tempfile::Builder::new().prefix("nearfar").tempdir().unwrap();
    let copy = program.path().join("nearfar");
    // Not by this process: what it writes is busy for programs that other tests start meanwhile.
    assert!(Command::new("cp").arg(nearfar()).arg(&copy).status().unwrap().success());
    fs::set_permissions(program.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .unwrap();
    let as_nobody = |args: &[&str]| Command::new(&copy).args(args).uid(65_534).gid(65_534).output();
    let Ok(output) = as_nobody(&["where", &pid]) else {
        return skip("only root can become another user");
    };
    let (status, said) = refusal(&output);
    assert_eq!(status, 1);
    assert!(said.contains("is another user's"), "{said}");
    let output = as_nobody(&["move", &pid, "--cpus", "all", "--nodes", "all"]).unwrap();
    assert_eq!(output.status.code(), Some(1));
    let shown = stdout(&output);
    assert!(shown.contains("must be yours") && shown.contains("no page moved"), "{shown}");
}
