//! `nearfar irq set`, as a user runs it. Nothing here moves an interrupt of this machine.

use std::fs;

use serde_json::Value;

use crate::user::{User, refusal, stdout};

/// An interface of this machine that is hardware with interrupts.
fn interface() -> Option<String> {
    let folder = fs::read_dir("/sys/class/net").ok()?;
    let mut names = folder.flatten().map(|entry| entry.file_name().into_string().unwrap());
    names.find(|name| {
        let run = User::new().run(&["irq", "set", name, "--spread", "all", "--dry-run"]);
        run.status.success()
    })
}

#[test]
fn a_target_is_needed_and_only_one() {
    for args in [
        &["irq", "set"][..],
        &["irq", "set", "eth0"],
        &["irq", "set", "eth0", "--near", "--cpus", "0"],
        &["irq", "set", "eth0", "--near", "--spread", "near"],
        &["irq", "set", "eth0", "--undo", "--near"],
        &["irq", "set", "eth0", "--cpus", "x"],
        &["irq", "set", "eth0", "--xps", "far"],
        &["irq", "set", "eth0", "--near", "--as", "cron"],
        &["irq", "set", "eth0", "--near", "--root", "/tmp"],
        &["irq", "--for", "1s", "set", "eth0", "--near"],
    ] {
        assert_eq!(User::new().run(args).status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn unknown_devices_are_refused() {
    for name in ["nosuch0", "ffff:ff:1f.7", "nic:nosuch0", "lo"] {
        let output = User::new().run(&["irq", "set", name, "--near", "--dry-run"]);
        let (status, message) = refusal(&output);
        assert!(status == 1 && message.contains(name), "{name}: {status} {message}");
        assert!(!message.contains("-N NODE"), "advice for programs: {message}");
    }
    let (_, message) = refusal(&User::new().run(&["irq", "set", "lo", "--near", "--dry-run"]));
    assert!(message.ends_with("only hardware has a node and interrupts"), "{message}");
}

#[test]
fn dry_runs_change_nothing() {
    let Some(name) = interface() else { return };
    let run = |args: &[&str]| User::new().run(&[&["irq", "set", &name], args].concat());
    let text = stdout(&run(&["--spread", "all", "--dry-run"]));
    assert!(text.contains("would be set") && text.contains("asked"), "{text}");
    let json = stdout(&run(&["--spread", "all", "--dry-run", "--json"]));
    let document: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&document["schema"], &document["action"]),
        (&Value::from("nearfar.irq-set/1"), &Value::from("dry-run"),)
    );
    for one in document["settings"].as_array().unwrap() {
        let number = &one["setting"]["irq"];
        let now = fs::read_to_string(format!("/proc/irq/{number}/smp_affinity_list")).unwrap();
        assert_eq!((&one["before"], &one["now"]), (&now.trim().into(), &now.trim().into()));
        assert_eq!(one["pending"], false);
    }
    let offline = run(&["--cpus", "65535", "--dry-run"]);
    let (status, message) = refusal(&offline);
    assert!(status == 1 && message.contains("CPU 65535 is not online"), "{message}");
}

#[test]
fn lasting_files_are_printed() {
    let Some(name) = interface() else { return };
    for (system, expected) in [
        ("systemd", "ExecStart="),
        ("udev", "RUN+="),
        ("irqbalance", "#!/bin/sh"),
        ("tuned", "[script]"),
    ] {
        let args = ["irq", "set", &name, "--spread", "all", "--skip-managed", "--as", system];
        let text = stdout(&User::new().run(&args));
        assert!(text.contains(expected), "{text}");
        assert!(text.contains("--spread all --skip-managed"), "{text}");
    }
}
