//! Bad input and limits of the six instruments beside latency: each reported in
//! a line, or named in the document.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::thread;

use serde_json::Value;

use crate::measured::warnings;
use crate::user::{
    User, document, has_two_cpus, is_done, nearfar, own_cpus, refusal, skip, stderr, stdout,
    unchanged_settings, wait_for,
};

const INSTRUMENTS: [&str; 6] =
    ["hidden", "bandwidth", "loaded", "core-to-core", "caches", "interleave"];

#[test]
fn cpus_that_do_not_exist_are_refused_by_every_instrument() {
    for instrument in INSTRUMENTS {
        let (status, message) =
            refusal(&User::new().run(&[instrument, "--quick", "--cpus", "0-8191"]));
        assert_eq!(status, 2, "{message}");
        assert!(message.contains(" does not exist: this machine has CPUs "), "{message}");
        let (status, message) = refusal(&User::new().run(&[instrument, "--quick", "--cpus", ""]));
        assert!(status == 2 && message.contains("the list of CPUs is empty"), "{message}");
    }
}

/// A process that may use one CPU, by `taskset`: it measures where one CPU is enough.
#[test]
fn one_cpu_is_measured_or_reported_as_too_few() {
    let user = User::new();
    let cpu = own_cpus()[0].to_string();
    let run = |args: &[&str]| {
        let _settings = unchanged_settings();
        let args = [&["-c", &cpu, nearfar()], args].concat();
        user.through("taskset", &args).output().expect("taskset starts")
    };
    let cheap = ["--kernels=read", "--window=2", "--windows=1", "--size=4M", "--dimms=8x4800"];
    let bandwidth = document(&run(&[&["bandwidth", "--quick", "--json"], &cheap[..]].concat()));
    assert_eq!(bandwidth["bandwidth"]["peak"]["node_bytes_per_s"], 307_200_000_000.0);
    assert_eq!(bandwidth["bandwidth"]["rows"][0]["cpus"], cpu.as_str());
    assert_eq!(bandwidth["bandwidth"]["treatments"].as_array().unwrap().len(), 1, "one thread");
    for instrument in ["loaded", "core-to-core"] {
        let (status, message) = refusal(&run(&[instrument, "--quick"]));
        assert!(status == 2 && message.contains("needs two CPUs"), "{message}");
    }
    let spread = run(&["interleave", "--quick", "--no-latency", "--size", "16M", "--seed", "1"]);
    assert!(is_done(&spread), "{}", stderr(&spread));
    let shown = stdout(&spread);
    assert!(shown.lines().any(|line| line.trim_start().starts_with("interleave · ")), "{shown}");
}

#[test]
fn too_much_memory_is_refused_untouched() {
    let nodes = nearfar_place::allowed_nodes().unwrap().iter().count();
    let sizes = [
        ("bandwidth", "--size"),
        ("loaded", "--size"),
        ("caches", "--largest"),
        ("interleave", "--size"),
    ];
    for (instrument, option) in sizes {
        if instrument == "loaded" && !has_two_cpus() {
            continue;
        }
        if instrument == "interleave" && nodes < 2 {
            continue; // there is nothing to interleave, whatever the size
        }
        let (status, message) = refusal(&User::new().run(&[instrument, "--quick", option, "800T"]));
        assert_eq!(status, 2, "{message}");
        assert!(
            message.starts_with(&format!("nearfar: {option} 800 TiB"))
                && message.contains("use less"),
            "{message}"
        );
    }
}

#[test]
fn errors_list_the_valid_instructions() {
    let foreign = if cfg!(target_arch = "aarch64") { "avx2" } else { "neon" };
    for instrument in ["bandwidth", "loaded"] {
        for (isa, expected) in
            [("mmx", "unknown instruction set 'mmx'"), (foreign, "this processor has no ")]
        {
            let (status, message) =
                refusal(&User::new().run(&[instrument, "--quick", "--isa", isa]));
            assert!(status == 2 && message.contains(expected), "{message}");
            assert!(
                message.contains("choose auto or one of ") && message.ends_with("portable"),
                "{message}"
            );
        }
    }
}

#[test]
fn malformed_dimms_are_refused_with_an_example() {
    for nonsense in [
        "8xfast",
        "0x4800",
        "8x0",
        "8x",
        "x4800",
        "8",
        "",
        "8x4800x2",
        "99999999999x9999999999",
        "8,4800",
    ] {
        let output = User::new().run(&["bandwidth", &format!("--dimms={nonsense}")]);
        assert_eq!(output.status.code(), Some(2), "{nonsense}");
        let message = stderr(&output);
        assert!(
            message.contains("--dimms") && message.contains("such as 8x4800"),
            "{nonsense}: {message}"
        );
    }
}

/// A control group of these tests, gone when they are done.
struct Group {
    folder: PathBuf,
}

impl Group {
    /// A group of this controller with this limit; none where this user may not make one.
    fn new(controller: &str, name: &str, limits: [(&str, &str); 2]) -> Option<Self> {
        let name = format!("nearfar-test-{name}-{}", std::process::id());
        let first = Path::new("/sys/fs/cgroup").join(controller).join(&name);
        let second = Path::new("/sys/fs/cgroup").join(&name);
        for (folder, (limit, value)) in [first, second].into_iter().zip(limits) {
            if fs::create_dir(&folder).is_err() {
                continue;
            }
            let group = Self { folder };
            if group.folder.join("cgroup.procs").exists()
                && fs::write(group.folder.join(limit), value).is_ok()
            {
                return Some(group);
            }
        }
        None
    }

    /// The command, run inside.
    fn run(&self, args: &[&str]) -> Output {
        let enter = format!("echo $$ > '{}/cgroup.procs' && exec \"$@\"", self.folder.display());
        User::new()
            .through("sh", &[&["-c", &enter, "sh", nearfar()], args].concat())
            .output()
            .expect("sh starts")
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Processes in it have ended, but may not be reaped yet.
        wait_for("the control group is removed", || fs::remove_dir(&self.folder).is_ok());
    }
}

/// A measurement in a control group that may use a fifth of a CPU; how often it was throttled.
fn throttled(group: &Group, args: &[&str]) -> u64 {
    let user = User::new();
    let file = user.folder().join("kept.json");
    let kept = file.to_str().unwrap();
    let settings = unchanged_settings();
    let output = group.run(&[args, &["--quick", "--seed", "1", "--json", "-o", kept]].concat());
    drop(settings);
    // On a busy machine a fifth of a CPU may be too little for any figure: that is status 1.
    let is_measured = !stderr(&output).contains("nothing was measured: ");
    assert_eq!(output.status.code(), Some(i32::from(!is_measured)), "{}", stderr(&output));
    let document: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    let codes = warnings(&document);
    assert!(codes.contains(&"cpu-quota"), "{codes:?}");
    let during = document["environment"]["during"]["throttled_periods"].as_u64().expect("a count");
    assert_eq!(codes.contains(&"throttled"), during > 0, "{codes:?}");
    let shown = stdout(&user.run(&["show", kept, "--verbose"]));
    assert!(shown.contains("A cgroup limits this process to 0.20 CPUs"), "{shown}");
    let stopped = shown.contains("The CPU limit of the cgroup stopped its processes in");
    assert_eq!(stopped, during > 0, "{shown}");
    let dropped = shown.contains("The cgroup had used its CPU limit");
    assert!(dropped || !codes.contains(&"dropped-throttled"), "{shown}");
    during
}

#[test]
fn a_cpu_quota_is_recognised_and_throttling_is_reported() {
    let limits = [("cpu.cfs_quota_us", "20000"), ("cpu.max", "20000 100000")];
    let bandwidth = ["bandwidth", "--kernels=read", "--window=20", "--size=4M", "--budget=6s"];
    let caches = ["caches", "--largest=1M", "--budget=4s"];
    let pairs = ["core-to-core", "--budget=4s"];
    let groups: Option<Vec<Group>> =
        ["cpu-0", "cpu-1", "cpu-2"].iter().map(|name| Group::new("cpu", name, limits)).collect();
    let Some(groups) = groups else { return skip("no control group can be made here") };
    let all = [&bandwidth[..], &caches, &pairs];
    let during: u64 = thread::scope(|scope| {
        let running: Vec<_> = groups
            .iter()
            .zip(all)
            .map(|(group, args)| scope.spawn(move || throttled(group, args)))
            .collect();
        running.into_iter().map(|running| running.join().expect("it measured")).sum()
    });
    if during == 0 {
        skip("the machine is so busy that a fifth of a CPU is never used up");
    }
}

#[test]
fn a_small_cgroup_gives_a_clear_error() {
    let limits = [("memory.limit_in_bytes", "50331648"), ("memory.max", "50331648")];
    let Some(group) = Group::new("memory", "memory", limits) else {
        return skip("no control group can be made here");
    };
    for args in [
        &["bandwidth", "--quick", "--kernels=read", "--size=256M"][..],
        &["caches", "--quick", "--largest=256M"],
    ] {
        let (status, message) = refusal(&group.run(args));
        assert_eq!(status, 2, "{message}");
        assert!(message.contains("256 MiB") && message.contains(" MiB available"), "{message}");
    }
}
