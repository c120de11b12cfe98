use std::process::{Child, Command};

use nearfar_machine::process::cgroup_folder;

use nearfar_model::Bytes;

use super::*;

/// A child process with a child of its own; both end with the test.
struct Sleeper(Child);

impl Sleeper {
    fn start() -> Self {
        Self(Command::new("sh").args(["-c", "sleep 600; true"]).spawn().expect("a shell"))
    }

    fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        // Ends the shell's own child, too. `kill` is built into shells; some systems have no such
        // program.
        for pid in processes::for_target(&Source::live(), &MoveTarget::Process(self.pid()))
            .unwrap_or_default()
            .ids
        {
            let _ = Command::new("sh").args(["-c", &format!("kill {pid}")]).status();
        }
        let _ = self.0.wait();
    }
}

#[test]
fn a_process_and_its_child_are_bound_and_moved() {
    let source = Source::live();
    let sleeper = Sleeper::start();
    let cpu = nearfar_place::affinity().unwrap().first().unwrap();
    let nodes = nearfar_place::allowed_nodes().unwrap();
    // The shell takes a moment to start its child.
    let begin = std::time::Instant::now();
    while processes::for_target(&source, &MoveTarget::Process(sleeper.pid())).unwrap().ids.len() < 2
    {
        assert!(begin.elapsed().as_secs() < 60, "the shell has no child");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let wanted = MoveDestination { cpus: Some(CpuSet::from_id(cpu)), nodes: Some(nodes.clone()) };
    let moved = move_running(&source, &MoveTarget::Process(sleeper.pid()), &wanted).unwrap();
    assert!(moved.is_complete(), "{moved:?}");
    assert_eq!(moved.processes.len(), 2, "{moved:?}");
    for process in &moved.processes {
        assert_eq!(process.threads.as_ref().unwrap().cpus, Some(CpuSet::from_id(cpu)));
        assert_eq!(nearfar_place::thread_affinity(process.pid).unwrap(), CpuSet::from_id(cpu));
        let Some(PagesResult::Done(pages)) = &process.pages else { panic!("{process:?}") };
        assert_eq!((pages.elsewhere, pages.moved(&nodes)), (Bytes(0), Bytes(0)));
    }
    let json = serde_json::to_value(&moved).unwrap();
    assert_eq!(json["schema"], "nearfar.move/1");
    assert_eq!(json["processes"][0]["threads"]["refused"], serde_json::json!([]));
}

#[test]
fn a_missing_process_is_named() {
    let gone = move_running(
        &Source::live(),
        &MoveTarget::Process(0x3fff_ffff),
        &MoveDestination::default(),
    )
    .unwrap_err();
    assert!(gone.to_string().contains("no process 1073741823"), "{gone}");
}

#[test]
fn an_empty_group_is_an_error() {
    let source = Source::from_files([
        ("/proc/mounts", "cgroup2 /nowhere cgroup2 rw 0 0\n"),
        ("/nowhere/job/cgroup.procs", ""),
    ]);
    let group = cgroup_folder(&source, "job").unwrap();
    let empty =
        move_running(&source, &MoveTarget::Group(group), &MoveDestination::default()).unwrap_err();
    assert!(empty.to_string().contains("/nowhere/job"), "{empty}");
}

#[test]
fn processes_outside_of_the_namespace_are_not_called_missing() {
    let group = |pids: &str| {
        let source = Source::from_files([
            ("/proc/mounts", "cgroup2 /nowhere cgroup2 rw 0 0\n"),
            ("/proc/self/stat", "7 (sh) S"),
            ("/nowhere/job/cgroup.procs", pids),
        ]);
        let group = cgroup_folder(&source, "job").unwrap();
        move_running(&source, &MoveTarget::Group(group), &MoveDestination::default())
    };
    let message = group("0\n0\n").unwrap_err().to_string();
    assert!(message.contains("outside of this PID namespace"), "{message}");
    // Some of them moved are not all.
    let document = MoveDocument {
        schema: MOVE_SCHEMA,
        cpus: None,
        nodes: None,
        group: None,
        processes: Vec::new(),
        ended: 0,
        outside: 1,
    };
    assert!(!document.is_complete());
    assert!(MoveDocument { outside: 0, ..document }.is_complete());
}

#[test]
fn a_refusal_has_its_reason_in_json() {
    let refused = PagesResult::Refused { why: "denied".into() };
    assert_eq!(serde_json::to_string(&refused).unwrap(), r#"{"why":"denied"}"#);
}
