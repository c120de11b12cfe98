use super::*;
use crate::error::MachineError;
use crate::hidden_by::HiddenBy;

fn source() -> Source {
    Source::from_files([
        ("/proc/42/numa_maps", "1000 default anon=1 N0=1 kernelpagesize_kB=4\nodd\n"),
        ("/proc/42/maps", "1000-2000 rw-p 0 0:0 0\n"),
        ("/proc/42/comm", "my prog\n"),
        ("/proc/42/cmdline", "./my prog\0-x\0\0"),
        ("/proc/42/stat", "42 (my prog) S 1 0"),
        ("/proc/42/status", "VmSwap:\t12 kB\n"),
        ("/proc/42/task/42/stat", "42 (my prog) S 1 0"),
        ("/proc/42/task/42/status", ""),
        ("/proc/42/task/42/children", "51 50 \n"),
        ("/proc/42/task/43/stat", ""),
        ("/proc/42/task/43/children", "44 x"),
        ("/proc/7/stat", "nonsense"),
        ("/proc/7/cmdline", ""),
        ("/proc/uptime", "1"),
    ])
}

#[test]
fn process_files_are_parsed() {
    let source = source();
    assert_eq!(process_ids(&source), [7, 42]);
    let process = Process::find(&source, 42).unwrap();
    assert_eq!(process.name().as_deref(), Some("my prog"));
    assert_eq!(process.command(), ["./my prog", "-x"]);
    assert_eq!((process.thread_ids(), process.stat().unwrap().parent), (vec![42, 43], 1));
    assert!(
        process.thread(42).is_some()
            && process.thread(43).is_none()
            && process.thread(44).is_none()
    );
    assert_eq!(process.children(), Some(vec![44, 50, 51]));
    assert_eq!(Process::find(&source, 7).unwrap().children(), None);
    let maps = process.numa_maps().unwrap();
    assert_eq!((maps.mappings.len(), maps.odd_lines), (1, 1));
    assert_eq!(process.maps().unwrap().0[0].end, 0x2000);
    assert_eq!(process.status().unwrap().swapped, Some(nearfar_model::Bytes::kib(12)));
}

#[test]
fn missing_and_malformed_files_are_errors() {
    let source = source();
    let message = |error: MachineError| error.to_string();
    assert!(message(Process::find(&source, 8).unwrap_err()).starts_with("there is no process 8"));
    let process = Process::find(&source, 7).unwrap();
    assert!(message(process.numa_maps().unwrap_err()).contains("built without NUMA"));
    assert!(message(process.stat().unwrap_err()).contains("/proc/7/stat"));
    assert!(process.command().is_empty() && process.name().is_none());
}

#[test]
fn process_that_ended_is_an_error() {
    let source = source();
    let gone = Process { source: &source, pid: 99 };
    assert!(matches!(gone.numa_maps(), Err(MachineError::ProcessEnded { pid: 99 })));
    assert!(matches!(gone.status(), Err(MachineError::ProcessEnded { pid: 99 })));
    assert!(gone.thread_ids().is_empty());
}

#[test]
fn own_process_is_read() {
    let live = Source::live();
    let process = Process::find(&live, std::process::id()).unwrap();
    let (ranges, odd) = process.maps().unwrap();
    assert!(ranges.len() > 10 && odd == 0);
    let stat = process.stat().unwrap();
    assert!(stat.cpu.is_some() && process.thread_ids().contains(&process.pid));
    assert!(process.status().unwrap().cpus.is_some_and(|cpus| !cpus.is_empty()));
}

#[test]
fn an_ended_process_differs_from_one_with_its_number() {
    let source = Source::from_files([
        ("/proc/8/stat", "8 (sh) S 1 8 8 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4711 0 0"),
        ("/proc/9/stat", "nonsense"),
        ("/proc/10/stat", "10 (sh) Z 1 8 8 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4711 0 0"),
        ("/proc/11/stat", "11 (sh) Z 1 8 8 0 -1 0 0 0 0 0 0 0 0 0 20 0 2 0 4711 0 0"),
    ]);
    let exists = |pid, started| Process::still_exists(&source, pid, started);
    assert_eq!([exists(8, 4711), exists(8, 4712)], [Some(true), Some(false)]);
    assert_eq!([exists(7, 4711), exists(9, 4711)], [Some(false), None]);
    assert_eq!(exists(10, 4711), Some(false), "a zombie");
    assert_eq!(exists(11, 4711), Some(true), "only its first thread has ended");
}

#[test]
fn what_may_exist_has_not_ended() {
    let missing = |hidden_by| MachineError::NoSuchProcess { pid: 7, origin: "x".into(), hidden_by };
    for hidden_by in [None, Some(HiddenBy::PidNamespace)] {
        assert!(missing(hidden_by).is_of_ended_process(), "{hidden_by:?}");
    }
    for hidden_by in [HiddenBy::MountOption, HiddenBy::Unknown] {
        assert!(!missing(Some(hidden_by)).is_of_ended_process(), "{hidden_by:?}");
    }
    assert!(!MachineError::HiddenProcess { pid: 7 }.is_of_ended_process());
}

/// A root that was denied does not have the advice to be root.
#[test]
fn advice_for_a_denied_process_depends_on_the_user() {
    let denied = |is_root| {
        let file = "/proc/1/maps".to_owned();
        MachineError::NotYourProcess { pid: 1, file, is_root }.to_string()
    };
    assert!(denied(false).contains("use root"), "{}", denied(false));
    assert!(!denied(true).contains("use root"), "{}", denied(true));
    assert!(denied(true).contains("outside of the container"), "{}", denied(true));
}

#[test]
fn the_policy_is_that_of_mappings_without_an_own_one() {
    let policy = |maps: &str| {
        let source = Source::from_files([("/proc/9/numa_maps", maps)]);
        Process::known(&source, 9).policy().map(|policy| policy.text().to_owned())
    };
    // The first mapping has a policy of its own (mbind); the last line is cut.
    let maps =
        "1000 interleave:0-1 anon=4 N0=4\n2000 bind:1 file=/usr/bin/x mapped=9 N1=9\n3000 de";
    assert_eq!(policy(maps).as_deref(), Some("bind:1"));
    assert_eq!(policy("1000 default heap\n").as_deref(), Some("default"));
    assert_eq!([policy("1000 def"), policy("")], [None, None]);
    let long = "5000 default file=/usr/bin/x N0=1\n".repeat(1000);
    assert_eq!(policy(&long).as_deref(), Some("default"));
}

#[test]
fn only_the_wanted_variables_are_read() {
    let source = Source::from_files([
        ("/proc/51/environ", "SECRET=x\0SLURM_PROCID=3\0SLURM_PROCID_X=4\0EMPTY=\0"),
        ("/proc/51/cgroup", "3:cpuset:/job\n0::/system.slice/a:b\n"),
    ]);
    let process = Process { source: &source, pid: 51 };
    let found = process.variables(&["SLURM_PROCID", "EMPTY", "RANK"]).unwrap();
    assert_eq!(found, BTreeMap::from([("SLURM_PROCID", "3".into()), ("EMPTY", String::new())]));
    assert_eq!(process.control_groups(), ["/job", "/system.slice/a:b"]);
    assert_eq!(Process { source: &source, pid: 52 }.variables(&["RANK"]), None);
}
