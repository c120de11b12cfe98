//! Settings of the whole machine that `nearfar sweep` switches, and that are put back.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::RwLockWriteGuard;
use std::time::{Duration, Instant};

use crate::user::{User, nearfar, own_settings, refusal, send, send_to, skip, stderr, wait_for};

const THP: &str = "/sys/kernel/mm/transparent_hugepage/enabled";

fn thp() -> String {
    let text = fs::read_to_string(THP).unwrap_or_default();
    text.split(['[', ']']).nth(1).unwrap_or_default().to_owned()
}

/// What huge pages are switched to, and from; none where they cannot be.
fn other_than_now(_own: &RwLockWriteGuard<'static, ()>) -> Option<(&'static str, String)> {
    let before = thp();
    if before.is_empty() || fs::OpenOptions::new().write(true).open(THP).is_err() {
        skip("transparent huge pages cannot be switched here");
        return None;
    }
    Some((if before == "never" { "madvise" } else { "never" }, before))
}

/// How long after this signal to a sweep settings are put back; none where they cannot be switched.
fn put_back_after(signal: &str) -> Option<Duration> {
    let own = own_settings();
    let (other, before) = other_than_now(&own)?;
    let user = User::new();
    let words = ["sweep", "--placement", "unbound", "--thp", other, "--allow-system-changes"];
    let mut command = user.command(&[&words[..], &["--runs", "3", "--", "sleep", "600"]].concat());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for("huge pages are switched", || thp() == other);
    let sent = Instant::now();
    send(signal, &child);
    wait_for("huge pages are as before", || thp() == before);
    let took = sent.elapsed();
    child.wait().unwrap();
    Some(took)
}

#[test]
fn settings_are_always_restored() {
    for signal in ["INT", "KILL"] {
        put_back_after(signal);
    }
}

#[test]
#[ignore = "long: asserts a time, on a quiet machine"]
fn settings_are_restored_within_a_second() {
    for signal in ["INT", "KILL"] {
        let took = put_back_after(signal).unwrap_or_default();
        assert!(took < Duration::from_secs(1), "{signal}: {took:?}");
    }
}

/// The process that puts settings back after this one.
fn guard_of(sweep: u32) -> Option<u32> {
    let all = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let mut pids = all.filter_map(|process| process.file_name().to_str()?.parse::<u32>().ok());
    pids.find(|pid| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let is_child = stat.rsplit(')').next().and_then(|rest| rest.split(' ').nth(2))
            == Some(&sweep.to_string());
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        is_child && line.ends_with(b"\0guard\0")
    })
}

#[test]
fn sweeps_restore_settings_without_their_guard() {
    let own = own_settings();
    let Some((other, before)) = other_than_now(&own) else { return };
    let user = User::new();
    let words = [
        "sweep",
        "--placement",
        "unbound",
        "--thp",
        other,
        "--allow-system-changes",
        "--runs",
        "3",
    ];
    let waiting = format!("until [ -e '{}/go' ]; do sleep 0.05; done", user.folder().display());
    let mut command = user.command(&[&words[..], &["--", "sh", "-c", &waiting]].concat());
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for("huge pages are switched", || thp() == other);
    let guard = guard_of(child.id()).expect("a guard");
    send_to("KILL", guard);
    fs::write(user.folder().join("go"), "").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(thp(), before);
    assert!(
        !PathBuf::from("/run/nearfar/system-settings.json").exists(),
        "nothing is left to put back"
    );
}

/// A guard's note, as long as this stands: of this test's own process.
struct Noted(PathBuf);

impl Noted {
    fn keep(guard: u32) -> Option<Self> {
        let folder = PathBuf::from("/run/nearfar");
        fs::create_dir_all(&folder).ok()?;
        let stat = fs::read_to_string(format!("/proc/{guard}/stat")).ok()?;
        // The 22nd field; the second may have blanks, and ends with a bracket.
        let started: u64 = stat.rsplit(')').next()?.split_whitespace().nth(19)?.parse().ok()?;
        let path = folder.join("system-settings.json");
        let mut file = fs::File::create_new(&path).ok()?;
        let state = serde_json::json!({"guard": guard, "started": started, "before": {}});
        let note = serde_json::json!({"schema": "nearfar.settings/1", "state": state});
        file.write_all(note.to_string().as_bytes()).ok()?;
        Some(Self(path))
    }
}

impl Drop for Noted {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

#[test]
fn simultaneous_sweeps_do_not_switch_settings() {
    let _settings = own_settings();
    let own = std::process::id();
    let Some(_note) = Noted::keep(own).filter(|_| !thp().is_empty()) else {
        return skip("no note can be kept in /run, or huge pages cannot be switched");
    };
    let user = User::new();
    let switching = [
        "sweep",
        "--placement",
        "unbound",
        "--thp",
        "never",
        "--allow-system-changes",
        "--runs",
        "1",
        "--",
        "true",
    ];
    let before = thp();
    let (status, message) = refusal(&user.run(&switching));
    let expected =
        format!("nearfar: another nearfar (guard {own}) switches settings of this machine: wait");
    assert!(status == 2 && message.starts_with(&expected), "{status} {message}");
    assert_eq!(thp(), before);
    let other = user.run(&["sweep", "--placement", "unbound", "--runs", "1", "--", "true"]);
    assert!(other.status.success(), "who switches nothing does not wait: {}", stderr(&other));
}

#[test]
fn missing_permission_is_reported_first() {
    if thp().is_empty() {
        return skip("this kernel has no transparent huge pages");
    }
    let _settings = own_settings();
    let user = User::new();
    let words = [
        "sweep",
        "--placement",
        "unbound",
        "--thp",
        "never",
        "--allow-system-changes",
        "--",
        "true",
    ];
    // Root becomes another user; who is none cannot write the switch anyhow.
    let someone = ["--reuid=4242", "--regid=4242", "--clear-groups", nearfar()];
    let mut command = match fs::OpenOptions::new().write(true).open(THP) {
        Ok(_) => user.through("setpriv", &[&someone[..], &words].concat()),
        Err(_) => user.command(&words),
    };
    let mut output = command.output().expect("it starts");
    // The guard of an earlier test's sweep may still put settings back.
    wait_for("no other sweep switches settings", || {
        output = command.output().expect("it starts");
        !stderr(&output).contains("another nearfar")
    });
    if stderr(&output).starts_with("setpriv: ") {
        return skip("no other user can be had here");
    }
    let (status, line) = refusal(&output);
    assert_eq!(status, 2, "{line}");
    assert!(
        line.starts_with(&format!("nearfar: --thp needs root: {THP} cannot be written (")),
        "{line}"
    );
}
