//! What cannot be had from the six instruments beside latency, and what confines them: each told in a line, or named in the document.

mod running;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Instant;

use running::{User, alone, nearfar, refusal, stderr, stdout};
use serde_json::Value;

const INSTRUMENTS: [&str; 6] = ["hidden", "bandwidth", "loaded", "core-to-core", "caches", "interleave"];

/// Past the test harness, which keeps what a passing test prints with `eprintln!`.
fn skipped(why: &str) {
    io::stderr().write_all(format!("skipped: {why}\n").as_bytes()).unwrap();
}

fn first_cpu() -> String {
    nearfar_place::affinity().unwrap().first().unwrap().to_string()
}

fn document(output: &Output) -> Value {
    assert_eq!(output.status.code(), Some(0), "{}", stderr(output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn codes(document: &Value) -> Vec<&str> {
    document["warnings"].as_array().unwrap().iter().map(|warning| warning["code"].as_str().unwrap()).collect()
}

#[test]
fn cpus_that_do_not_exist_are_refused_by_every_instrument() {
    for instrument in INSTRUMENTS {
        let (status, said) = refusal(&User::new().run(&[instrument, "--quick", "--cpus", "0-8191"]));
        assert_eq!(status, 2, "{said}");
        assert!(said.contains(" does not exist: this machine has CPUs "), "{said}");
        let (status, said) = refusal(&User::new().run(&[instrument, "--quick", "--cpus", ""]));
        assert!(status == 2 && said.contains("the list of CPUs is empty"), "{said}");
    }
}

/// Those of one process that may use one CPU, by `taskset`: measured where one is enough, else said.
#[test]
fn one_cpu_is_measured_or_said_to_be_too_few() {
    let user = User::new();
    let cpu = first_cpu();
    let run = |args: &[&str]| {
        let _alone = alone();
        user.through("taskset", &[&["-c", &cpu, nearfar()], args].concat()).output().expect("taskset starts")
    };
    let bandwidth =
        document(&run(&["bandwidth", "--quick", "--kernels=read", "--window=2", "--size=64M", "--seed=1", "--json"]));
    assert_eq!(bandwidth["bandwidth"]["rows"][0]["cpus"], cpu.as_str());
    assert_eq!(bandwidth["bandwidth"]["treatments"].as_array().unwrap().len(), 1, "one thread");
    let (status, said) = refusal(&run(&["loaded", "--quick"]));
    assert!(status == 2 && said.contains("needs two CPUs"), "{said}");
    let (status, said) = refusal(&run(&["core-to-core", "--quick", "--seed", "1"]));
    assert!(status == 2 && said.contains("core-to-core needs two CPUs"), "{said}");
    let spread = run(&["interleave", "--quick", "--no-latency", "--size", "16M", "--seed", "1"]);
    assert_eq!(spread.status.code(), Some(0), "{}", stderr(&spread));
    assert!(stdout(&spread).lines().nth(1).unwrap().starts_with("interleave · "), "{}", stdout(&spread));
}

#[test]
fn memory_beyond_what_there_is_is_refused_in_a_line_and_untouched() {
    let nodes = nearfar_place::allowed_nodes().unwrap().iter().count();
    let sizes = [("bandwidth", "--size"), ("loaded", "--size"), ("caches", "--largest"), ("interleave", "--size")];
    for (instrument, option) in sizes {
        if instrument == "loaded" && nearfar_place::affinity().unwrap().iter().count() < 2 {
            continue;
        }
        if instrument == "interleave" && nodes < 2 {
            continue; // says that there is nothing to interleave, whatever the size
        }
        let begun = Instant::now();
        let (status, said) = refusal(&User::new().run(&[instrument, "--quick", option, "800T"]));
        assert_eq!(status, 2, "{said}");
        assert!(said.starts_with(&format!("nearfar: {option} 800 TiB")) && said.contains("ask for less"), "{said}");
        assert!(begun.elapsed().as_secs() < 20, "nothing was placed");
    }
}

#[test]
fn instructions_that_nobody_knows_or_this_processor_lacks_are_told_with_those_it_has() {
    let foreign = if cfg!(target_arch = "aarch64") { "avx2" } else { "neon" };
    for instrument in ["bandwidth", "loaded"] {
        for (isa, says) in [("mmx", "there is no instruction set 'mmx' here"), (foreign, "this processor has no ")] {
            let (status, said) = refusal(&User::new().run(&[instrument, "--quick", "--isa", isa]));
            assert!(status == 2 && said.contains(says), "{said}");
            assert!(said.contains("choose auto or one of ") && said.ends_with("portable"), "{said}");
        }
    }
}

#[test]
fn dimms_that_are_none_are_told_with_an_example() {
    for nonsense in ["8xfast", "0x4800", "8x0", "8x", "x4800", "8", "", "8x4800x2", "99999999999x9999999999", "8,4800"]
    {
        let output = User::new().run(&["bandwidth", &format!("--dimms={nonsense}")]);
        assert_eq!(output.status.code(), Some(2), "{nonsense}");
        let said = stderr(&output);
        assert!(said.contains("--dimms") && said.contains("such as 8x4800"), "{nonsense}: {said}");
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
            if group.folder.join("cgroup.procs").exists() && fs::write(group.folder.join(limit), value).is_ok() {
                return Some(group);
            }
        }
        None
    }

    /// The command, run inside.
    fn run(&self, args: &[&str]) -> Output {
        let enter = format!("echo $$ > '{}/cgroup.procs' && exec \"$@\"", self.folder.display());
        User::new().through("sh", &[&["-c", &enter, "sh", nearfar()], args].concat()).output().expect("sh starts")
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Those that were in it have ended, but may not be reaped yet.
        for _ in 0..50 {
            if fs::remove_dir(&self.folder).is_ok() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }
}

#[test]
fn half_a_cpu_is_recognised_and_throttling_named_in_the_document_and_on_the_screen() {
    let limits = [("cpu.cfs_quota_us", "20000"), ("cpu.max", "20000 100000")];
    let Some(group) = Group::new("cpu", "cpu", limits) else {
        return skipped("no control group can be made here");
    };
    let _alone = alone();
    let mut throttled = 0;
    for args in [
        &["bandwidth", "--quick", "--kernels=read", "--window=20", "--size=64M"][..],
        &["caches", "--quick", "--largest=4M"],
        &["core-to-core", "--quick"],
    ] {
        let user = User::new();
        let file = user.folder().join("kept.json");
        let kept = file.to_str().unwrap();
        let document = document(&group.run(&[args, &["--seed", "1", "--json", "-o", kept]].concat()));
        assert!(codes(&document).contains(&"cpu-quota"), "{:?}", codes(&document));
        let during = document["environment"]["during"]["throttled_periods"].as_u64().expect("counted");
        assert_eq!(codes(&document).contains(&"throttled"), during > 0, "{:?}", codes(&document));
        throttled += during;
        let shown = stdout(&user.run(&["show", kept]));
        assert!(shown.contains("A cgroup limits this process to 0.20 CPUs"), "{shown}");
        assert_eq!(shown.contains("The cgroup's limit of CPU time stopped its processes in"), during > 0, "{shown}");
        // Samples that were dropped for it, and enough of them to tell, are told.
        let dropped = codes(&document).contains(&"dropped-throttled");
        assert!(!dropped || shown.contains("The cgroup had used up its share of CPU time in "), "{shown}");
    }
    assert!(throttled > 0, "a fifth of a CPU stops no measurement");
}

#[test]
fn a_group_with_little_memory_ends_in_a_clear_line() {
    let limits = [("memory.limit_in_bytes", "50331648"), ("memory.max", "50331648")];
    let Some(group) = Group::new("memory", "memory", limits) else {
        return skipped("no control group can be made here");
    };
    let _alone = alone();
    for args in
        [&["bandwidth", "--quick", "--kernels=read", "--size=256M"][..], &["caches", "--quick", "--largest=256M"]]
    {
        let (status, said) = refusal(&group.run(args));
        assert_eq!(status, 2, "{said}");
        assert!(said.contains("256 MiB") && said.contains(" MiB can be had"), "{said}");
    }
}
