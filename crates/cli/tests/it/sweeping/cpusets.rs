//! Cpusets around the runs of `nearfar sweep`: programs stay in, and nothing is left behind.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use nearfar_machine::{CpusetParent, Source};
use serde_json::Value;

use crate::user::{User, has_two_cpus, is_running, nearfar, send, skip, stderr, stdout, wait_for};

/// The group that cpusets are made below; none, with a message, where this user may make none.
fn home() -> Option<PathBuf> {
    let made =
        CpusetParent::find(&Source::live()).map_err(|why| why.to_string()).and_then(|home| {
            let trial = PathBuf::from(home.folder).join("nearfar-trial");
            fs::create_dir(&trial)
                .and_then(|()| fs::remove_dir(&trial))
                .map_err(|error| error.to_string())?;
            Ok(trial.parent().unwrap().to_owned())
        });
    made.inspect_err(|why| skip(&format!("cpusets cannot be made here: {why}"))).ok()
}

/// Groups of sweeps below that group. Other tests' sweeps may be under way: only those that the
/// filter knows.
fn groups(home: &Path, is_meant: impl Fn(&str) -> bool) -> Vec<String> {
    let names =
        fs::read_dir(home).unwrap().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter(|name| name.starts_with("nearfar-sweep-") && is_meant(name)).collect()
}

fn document(output: &Output) -> Value {
    serde_json::from_str(&stdout(output))
        .unwrap_or_else(|error| panic!("{error}: {}", stderr(output)))
}

/// Goes to all CPUs, and prints the mask that it has then.
const SHAKES_OFF: &str = "taskset -p ffffffff $$ >/dev/null; grep Cpus_allowed: /proc/self/status";
const MASK: &str = r"mask=Cpus_allowed:[\s0,]*([0-9a-f]+)";

fn mask_of(user: &User, placement: &str, options: &[&str]) -> Value {
    let words = ["sweep", "--json", "--no-pages", "--warmup", "0", "--runs", "2", "--metric", MASK];
    let output = user.run(
        &[&words[..], &["--placement", placement], options, &["--", "sh", "-c", SHAKES_OFF]]
            .concat(),
    );
    assert!(output.status.success(), "{}", stderr(&output));
    document(&output)
}

#[test]
fn programs_cannot_leave_their_cpuset() {
    if home().is_none() || !has_two_cpus() {
        return;
    }
    let user = User::new();
    let free = mask_of(&user, "-C 0", &["--no-cpusets"]);
    assert!(
        free["configurations"][0]["median"].as_f64().unwrap() > 1.0,
        "the program does shake it off: {free:#}"
    );
    assert_eq!(free["enforcement"]["why_not"]["code"], "unwanted");
    // The second is the same relative to the cpuset of the sweep.
    for (placement, mask) in [("-C 0", 1.0), ("-C +0", 1.0), ("-C 1", 2.0), ("-C +1", 2.0)] {
        let held = mask_of(&user, placement, &[]);
        assert_eq!(held["configurations"][0]["median"], mask, "{held:#}");
        assert!(
            held["enforcement"]["cpusets"].as_str().unwrap().starts_with("cgroup v"),
            "{held:#}"
        );
    }
}

#[test]
fn ended_sweeps_leave_no_cpusets() {
    let Some(home) = home() else { return };
    for (signal, time) in [("none", "0.01"), ("INT", "4716"), ("KILL", "4717")] {
        let user = User::new();
        let words = ["sweep", "--placement", "-C 0", "--runs", "3", "--", "sh", "-c"];
        let program = format!("sleep {time}; :");
        let mut command = user.command(&[&words[..], &[&program]].concat());
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let own = format!("nearfar-sweep-{}-", child.id());
        let is_own = |name: &str| name.starts_with(&own);
        if signal != "none" {
            // Runs begin once the guard is ready.
            wait_for("a run has begun", || is_running(&format!("sleep\u{0}{time}")));
            assert_ne!(groups(&home, is_own), [""; 0]);
            send(signal, &child);
        }
        child.wait().unwrap();
        match signal {
            // The guard outlives the sweep by a moment.
            "KILL" => wait_for("the guard removes it", || groups(&home, is_own).is_empty()),
            _ => assert_eq!(groups(&home, is_own), [""; 0], "{signal}"),
        }
    }
}

#[test]
fn the_next_sweep_removes_left_cpusets() {
    let Some(home) = home() else { return };
    // No process has this number: it is above what kernels allow.
    let left = "nearfar-sweep-999999999-1-0";
    fs::create_dir(home.join(left)).unwrap();
    let user = User::new();
    let output = user.run(&["sweep", "--placement", "unbound", "--runs", "1", "--", "true"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(groups(&home, |name| name == left), [""; 0]);
}

/// A sweep of one run, started by another program that takes a right away.
fn without(user: &User, program: &str, words: &[&str]) -> Option<Value> {
    let file = user.folder().join("sweep.json");
    let path = file.to_str().unwrap();
    let sweep = [
        nearfar(),
        "sweep",
        "--json",
        "--placement",
        "unbound",
        "--runs",
        "1",
        "-o",
        path,
        "--",
        "true",
    ];
    let output = user.through(program, &[words, &sweep].concat()).output();
    let done = output.ok().filter(|output| output.status.success());
    if done.is_none() {
        skip(&format!("{program} cannot be used here"));
    }
    done.map(|output| document(&output))
}

#[test]
fn without_permission_sweeps_run_without_cpusets() {
    let Some(home) = home() else { return };
    let user = User::new();
    let home = home.to_str().unwrap();
    // In a mount namespace of its own.
    let lines =
        format!("mount --bind {home} {home} && mount -o remount,bind,ro {home} && exec \"$@\"");
    if let Some(found) = without(&user, "unshare", &["-m", "sh", "-c", &lines, "sh"]) {
        let why = &found["enforcement"]["why_not"];
        let error = why["error"].as_str().unwrap();
        assert!(why["code"] == "not-made" && error.contains("Read-only file system"), "{why}");
    }
    let user = User::new();
    fs::set_permissions(user.folder(), std::os::unix::fs::PermissionsExt::from_mode(0o777))
        .unwrap();
    if let Some(found) =
        without(&user, "setpriv", &["--reuid=65534", "--regid=65534", "--clear-groups"])
    {
        let why = found["enforcement"]["why_not"]["error"].as_str().unwrap();
        assert!(why.contains("Permission denied"), "{why}");
        assert_eq!(
            (&found["enforcement"]["cpusets"], &found["stopped"]),
            (&Value::Null, &"run-limit".into())
        );
        let path = user.folder().join("sweep.json");
        // Root resumes no file of another user.
        std::os::unix::fs::chown(&path, Some(0), Some(0)).unwrap();
        let resumed =
            user.run(&["sweep", "--yes", "--resume", path.to_str().unwrap(), "--runs", "2"]);
        let words = stdout(&resumed).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            words.contains("enforced by cpusets (cgroup v")
                && words.contains("were enforced differently."),
            "{words}"
        );
    }
}
