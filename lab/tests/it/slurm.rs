//! A real Slurm on this machine (`lab/slurm.sh`): four of its nodes are guests of the lab, one of
//! which is slower; a job that calls numactl runs by our links.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use crate::host::{line, stderr};
use crate::lab::{is_ready_with, nothing_lacks};

const NODES: [&str; 4] = ["n1", "n2", "n3", "n4"];
const SLOW: &str = "n3";

/// The machine of all nodes, and what is different on the slow one: memory of node 1 takes 30 %
/// longer.
const MACHINE: &str = include_str!("../../machines/xeon-2s.toml");
const SLOWER: [(&str, &str); 2] =
    [("[ 78.6, 144.1]", "[ 78.6, 187.3]"), ("[144.7,  78.5]", "[144.7, 102.1]")];

/// nearfar on a node of this Slurm.
const NEARFAR: &str = include_str!("slurm/nearfar.sh");
const FLEET: &str = include_str!("slurm/fleet.sh");
/// The job with our links and with Debian's numactl.
const BOTH_NUMACTLS: &str = "for numactl in ours debian; do
    PATH=$PWD/$numactl:$PATH sbatch --wait --output=$numactl.txt $JOBS/numactl.sbatch $JOBS
    echo status $?
done";

fn is_slurm_ready(kit: &[&str], files: &[&str]) -> bool {
    let daemons = ["/usr/sbin/munged", "/usr/sbin/slurmctld", "/usr/sbin/slurmd", "/usr/bin/srun"];
    let files = daemons.iter().chain(files).filter(|file| !Path::new(file).exists());
    let lacks: Vec<String> = files.map(|file| (*file).to_owned()).collect();
    is_ready_with("x86_64", kit) && nothing_lacks(&lacks)
}

/// A place for a Slurm and what runs on it.
struct SlurmPlace(TempDir);

impl SlurmPlace {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn write(&self, name: &str, text: &str, mode: u32) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Commands of a shell in this folder, while Slurm runs.
    fn command(&self, script: &str) -> Command {
        let lab = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut command = Command::new(lab.join("slurm.sh"));
        command.arg(self.path("slurm")).args(["sh", "-c", script]).current_dir(self.0.path());
        let path = std::env::var("PATH").unwrap();
        command.env("PATH", format!("{}:{path}", self.path("bin").display()));
        command.env("NEARFAR_LAB", env!("CARGO_BIN_EXE_nearfar-lab"));
        command.env("MACHINES", self.path("machines")).env("DOCS", lab.join("../docs/fleets"));
        command.env("JOBS", lab.join("tests/it/slurm")).stdin(Stdio::null());
        command
    }

    fn run(&self, script: &str) -> Output {
        self.command(script).output().unwrap()
    }

    /// Processes that have the configuration of this Slurm.
    fn processes(&self) -> Vec<PathBuf> {
        let configuration = format!("SLURM_CONF={}", self.path("slurm/slurm.conf").display());
        let processes = fs::read_dir("/proc").unwrap().flatten().map(|process| process.path());
        let is_its_own = |process: &PathBuf| {
            let environment = fs::read(process.join("environ")).unwrap_or_default();
            environment.split(|&byte| byte == 0).any(|one| one == configuration.as_bytes())
        };
        processes.filter(is_its_own).collect()
    }
}

#[test]
#[ignore = "long: boots four guests"]
fn the_slow_one_of_four_machines_is_found_and_drained() {
    if !is_slurm_ready(&[], &[]) {
        return;
    }
    let place = SlurmPlace::new();
    place.write("bin/nearfar", NEARFAR, 0o755);
    for node in NODES {
        place.write(&format!("machines/{node}.toml"), &description(node), 0o644);
    }
    let output = place.run(FLEET);
    let fleet = format!("{}{}", place.text("fleet.txt"), stderr(&output));
    let mut files: Vec<String> = fs::read_dir(place.path("surveys"))
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(files.len(), NODES.len(), "{files:?}: {fleet}");
    for (node, file) in NODES.into_iter().zip(&files) {
        assert!(file.starts_with(&format!("{node}-")), "{files:?}");
        let survey: Value = serde_json::from_str(&place.text(&format!("surveys/{file}")))
            .unwrap_or_else(|error| panic!("{file}: {error}: {fleet}"));
        assert_eq!(survey["machine"]["nodes"], 2, "{fleet}");
    }
    let printed = String::from_utf8_lossy(&output.stdout);
    assert_eq!(
        printed.lines().collect::<Vec<_>>(),
        [
            "job 3",
            "slow n3",
            "0: n1",
            "1: n2",
            "2: n4",
            "n1 idle",
            "n2 idle",
            "n3 drained",
            "n4 idle"
        ],
        "{fleet}"
    );
    assert!(output.status.success() && place.processes().is_empty());
}

fn description(node: &str) -> String {
    if node != SLOW {
        return MACHINE.to_owned();
    }
    SLOWER.iter().fold(MACHINE.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    })
}

/// Free memory changes, and a step may wait until the one before has ended.
fn without_chance(text: &str) -> Vec<&str> {
    let chance = [" free: ", "srun: Job ", "srun: Step created"];
    text.lines().filter(|line| !chance.iter().any(|one| line.contains(one))).collect()
}

#[test]
#[ignore = "long: runs jobs of Slurm"]
fn a_job_that_calls_numactl_runs_unchanged() {
    let mpi = ["/usr/lib/python3/dist-packages/mpi4py", "/usr/lib/x86_64-linux-gnu/libpmix.so"];
    if !is_slurm_ready(&["numactl"], &mpi) {
        return;
    }
    let kit = PathBuf::from(std::env::var("NEARFAR_LAB_KIT").unwrap()).join("x86_64");
    let place = SlurmPlace::new();
    fs::create_dir(place.path("ours")).unwrap();
    symlink(kit.join("nearfar"), place.path("ours/numactl")).unwrap();
    let debian = format!(
        "#!/bin/sh\nexec /lib64/ld-linux-x86-64.so.2 --library-path {0}/lib/x86_64-linux-gnu \
         {0}/bin/numactl \"$@\"\n",
        kit.join("numactl/usr").display()
    );
    place.write("debian/numactl", &debian, 0o755);

    let output = place.run(BOTH_NUMACTLS);
    let [ours, debian] = ["ours.txt", "debian.txt"].map(|name| place.text(name));
    let printed = String::from_utf8_lossy(&output.stdout);
    let statuses: Vec<_> = printed.lines().filter(|line| line.starts_with("status")).collect();
    assert_eq!(statuses, ["status 1"; 2], "{printed}{}{ours}", stderr(&output));

    let [(ours, our_errors), (debian, errors)] =
        [&ours, &debian].map(|text| split_at_status_9(&without_chance(text)));
    assert_eq!(ours, debian);
    for rank in 0..2 {
        let start = format!("{rank}: rank {rank} of 2, task {rank}: sum 3, bind:0, CPUs 0");
        assert!(ours.iter().any(|line| line.starts_with(&start)), "{ours:#?}");
    }
    // A line of ours, and numactl's usage.
    assert!(errors.len() > 10, "{errors:#?}");
    let message = our_errors.iter().find(|line| line.starts_with("numactl: "));
    let message = message.unwrap_or_else(|| panic!("{our_errors:#?}"));
    assert!(message.contains("--cpunodebind: node list '"), "{message}");
    assert!(message.contains("does not exist"), "{message}");
    assert!(our_errors.contains(&"srun: error: n1: task 0: Exited with exit code 1"));
    assert_eq!((our_errors.len(), our_errors.last()), (3, Some(&"status 1")));
}

/// The lines up to those of the program that ends with status 9, sorted: ranks print in any order.
/// And the lines after them.
fn split_at_status_9<'a>(lines: &[&'a str]) -> (Vec<&'a str>, Vec<&'a str>) {
    let end = lines.iter().position(|line| *line == "status 9");
    let (before, after) = lines.split_at(end.unwrap_or_else(|| panic!("{lines:#?}")));
    let mut before = before.to_owned();
    before.sort_unstable();
    (before, after[1..].to_owned())
}

#[test]
#[ignore = "long: runs jobs of Slurm"]
fn the_misbound_rank_of_a_job_is_found_by_status_3() {
    let needs = ["/usr/bin/taskset", "/usr/bin/unshare", "/usr/bin/python3"];
    if !is_slurm_ready(&[], &needs) {
        return;
    }
    // Its mounts are root's to make, and CPU 1 is the other node.
    if !rustix::process::geteuid().is_root() || !Path::new("/sys/devices/system/cpu/cpu1").exists()
    {
        nothing_lacks(&["root, and two CPUs".to_owned()]);
        return;
    }
    let place = SlurmPlace::new();
    place.write("bin/nearfar", NEARFAR, 0o755);
    place.write("bin/two-nodes", include_str!("slurm/two-nodes.sh"), 0o755);
    let slurm = place.command(include_str!("slurm/job.sh"));
    let mut command = Command::new(place.path("bin/two-nodes"));
    command.arg(slurm.get_program()).args(slurm.get_args()).current_dir(place.0.path());
    let environment = slurm.get_envs().filter_map(|(name, value)| Some((name, value?)));
    let output = command.envs(environment).stdin(Stdio::null()).output().unwrap();

    let printed = String::from_utf8_lossy(&output.stdout);
    let all = format!("{printed}{}", stderr(&output));
    for expected in ["outside: status 3", "step: status 3", "all right: status 0"] {
        assert!(printed.lines().any(|line| line == expected), "{expected}: {all}");
    }
    let shown = place.text("shown.txt");
    let first = shown.split("\n\n").next().unwrap().replace("\n  ", " ");
    assert!(first.starts_with("4 ranks: ") && first.contains("; rank 2 (process "), "{shown}");
    let outside = place.text("outside.txt");
    let start = "nearfar: 'remote>5%' holds: rank 2 (process ";
    assert!(outside.starts_with(start) && outside.lines().count() == 1, "{outside}");
    let step = place.text("step.txt");
    assert!(step.contains(start) && !step.contains("unbound"), "{step}");
    assert!(place.processes().is_empty());
}

#[test]
#[ignore = "long: runs jobs of Slurm"]
fn a_stopped_slurm_leaves_no_process() {
    if !is_slurm_ready(&[], &[]) {
        return;
    }
    let place = SlurmPlace::new();
    let mut command = place.command("srun --nodes=4 sh -c 'echo here; sleep 1000 & sleep 1000'");
    let mut slurm = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let words = BufReader::new(slurm.stdout.take().unwrap());
    assert!(words.lines().map_while(Result::ok).take(4).all(|line| line == "here"));
    assert!(place.processes().len() > 10);
    kill_process(Pid::from_child(&slurm), Signal::TERM).unwrap();
    let mut errors = String::new();
    slurm.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert_eq!(slurm.wait().unwrap().code(), Some(143), "{errors}");
    assert_eq!(place.processes(), Vec::<PathBuf>::new());
    let names = fs::read_dir(place.0.path()).unwrap().flatten().map(|entry| entry.file_name());
    assert_eq!(names.collect::<Vec<_>>(), ["slurm"]);

    let again = place.run("true");
    assert_eq!(again.status.code(), Some(1));
    let message = line(&again);
    assert!(message.ends_with("already has a slurm.conf: choose another folder"), "{message}");
}

#[test]
fn a_missing_package_is_named() {
    let place = SlurmPlace::new();
    let output = place.command("true").env("PATH", "/nonexistent").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let message = line(&output);
    assert!(message.starts_with("slurm.sh: there is no "), "{message}");
    assert!(message.contains(" install Debian's package "), "{message}");
    assert!(!place.path("slurm").exists());
}
