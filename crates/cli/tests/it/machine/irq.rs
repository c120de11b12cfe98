//! `nearfar irq`, as a user runs it. Nothing here moves an interrupt.

use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::corpus_folder::corpus;
use super::two_node_folder::{SWITCH, TwoNodeFolder};
use crate::user::{User, refusal, send, stderr, stdout, wait_for};

/// A machine whose network card on node 0 is served by CPU 3 of node 1.
fn far_card() -> TwoNodeFolder {
    let machine = TwoNodeFolder::new();
    let card = format!("sys/devices/{SWITCH}/0000:19:02.0/0000:1c:00.0");
    machine.file(&format!("{card}/msi_irqs/40"), "msix\n");
    machine.file(&format!("{card}/msi_irqs/41"), "msix\n");
    machine.file("proc/irq/40/smp_affinity_list", "0-3\n");
    machine.file("proc/irq/40/effective_affinity_list", "3\n");
    machine.file(
        "proc/interrupts",
        "      CPU0  CPU1  CPU2  CPU3\n 40: 0 0 0 800000 PCI-MSI 40-edge mlx5_comp0\n \
         41: 5 0 0 0 PCI-MSI 41-edge mlx5_async\nLOC: 1 2 3 4 Local timer interrupts\n",
    );
    machine
}

fn done(output: &Output) -> String {
    assert_eq!((output.status.code(), stderr(output).as_str()), (Some(0), ""));
    stdout(output)
}

fn of(root: &str, args: &[&str]) -> String {
    done(&User::new().run(&[&["irq", "--root", root], args].concat()))
}

#[test]
fn far_interrupts_are_named_with_their_cure() {
    let machine = far_card();
    let text = of(machine.root(), &[]);
    assert!(text.contains("3 (node 1!)") && text.contains("counts since boot"), "{text}");
    assert!(text.contains("warning: NIC0 is on node 0, and irq 40 runs on node 1"), "{text}");
    assert!(text.contains("nearfar irq set DEVICE --near"), "{text}");
    let document: Value = serde_json::from_str(&of(machine.root(), &["--json"])).unwrap();
    assert_eq!(document["findings"][0]["code"], "irq-far-from-device");
    assert_eq!(document["seconds"], Value::Null);
    assert_eq!(of(machine.root(), &["--csv"]).lines().count(), 3);
}

#[test]
fn diagnose_names_far_interrupts_since_boot() {
    let machine = far_card();
    let text = done(&User::new().run(&["diagnose", "--root", machine.root()]));
    assert!(text.contains("irq 40 runs on node 1"), "{text}");
    assert!(text.contains("since boot"), "{text}");
}

#[test]
fn devices_have_several_names() {
    let machine = far_card();
    let names =
        ["NIC0", "ib0", "nic:ib0", "nic:0", "mlx5_0", "0000:1c:00.0", "1c:00.0", "pci:1c:0"];
    for name in names {
        let text = of(machine.root(), &[name]);
        assert!(text.contains("mlx5_async") && text.contains("of 1 device,"), "{name}: {text}");
    }
    let output = User::new().run(&["irq", "nope", "--root", machine.root()]);
    let (code, message) = refusal(&output);
    assert_eq!(code, 1);
    assert!(message.contains("there is no device 'nope': "), "{message}");
    assert!(message.contains("'nearfar devices' lists all"), "{message}");
}

#[test]
fn captures_keep_interrupts() {
    let machine = far_card();
    let user = User::new();
    let archive = user.folder().join("machine.tar.gz");
    let archive = archive.to_str().unwrap();
    let output = user.run(&["capture", "--root", machine.root(), "--output", archive]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(of(archive, &[]).contains("3 (node 1!)"));
}

#[test]
fn machines_without_counters_are_refused() {
    let machine = TwoNodeFolder::new();
    let (code, message) = refusal(&User::new().run(&["irq", "--root", machine.root()]));
    assert_eq!(code, 1);
    assert!(message.contains("/proc/interrupts does not exist"), "{message}");
}

#[test]
fn saved_tables_need_no_machine() {
    let user = User::new();
    let table = "   CPU0   CPU1\n 30: 70000 0 PCI-MSI-edge eth0-rx-0\n 31: 80000 0 PCI-MSI-edge \
                 eth0-rx-1\n";
    let file = user.write("interrupts", table);
    let text = done(&user.run(&["irq", "--interrupts", &file]));
    assert!(text.contains("CPU 0 served at least 99 % of the"), "{text}");
    let named = done(&user.run(&["irq", "eth0", "--interrupts", &file, "--json"]));
    let document: Value = serde_json::from_str(&named).unwrap();
    assert_eq!(document["balancer"], Value::Null);
    let (code, message) = refusal(&user.run(&["irq", "eth7", "--interrupts", &file]));
    assert_eq!(code, 1);
    assert!(message.contains("belongs to 'eth7'"), "{message}");
    let other = user.write("meminfo", "MemTotal: 5 kB\n");
    let (code, message) = refusal(&user.run(&["irq", "--interrupts", &other]));
    assert_eq!(code, 1);
    assert!(message.contains("is no /proc/interrupts"), "{message}");
    assert_eq!(refusal(&user.run(&["irq", "--interrupts", "/nonexistent"])).0, 1);
}

#[test]
fn captured_tables_fit_the_terminal() {
    let Some(folder) = corpus().map(|corpus| corpus.join("irq")) else { return };
    for entry in fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path().join("interrupts");
        if !file.is_file() {
            continue;
        }
        let file = file.to_str().unwrap();
        let mut command = User::new().command(&["irq", "--interrupts", file]);
        let text = done(&command.env("COLUMNS", "80").output().unwrap());
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{file}:\n{text}");
    }
}

#[test]
fn wrong_options_are_usage() {
    for args in [
        ["irq", "--for", "x"],
        ["irq", "--for", "-1"],
        ["irq", "--watch", "--json"],
        ["irq", "--json", "--csv"],
    ] {
        assert_eq!(User::new().run(&args).status.code(), Some(2), "{args:?}");
    }
}

/// Containers may hide the kernel's files.
fn has_interrupts() -> bool {
    fs::read("/proc/interrupts").is_ok_and(|text| text.trim_ascii_start().starts_with(b"CPU"))
        && Path::new("/sys/devices/system/cpu/online").exists()
}

#[test]
fn the_live_machine_is_counted() {
    if !has_interrupts() {
        return;
    }
    let text = done(&User::new().run(&["irq", "--for", "50ms", "--json"]));
    let document: Value = serde_json::from_str(&text).unwrap();
    assert!(document["seconds"].as_f64().unwrap() >= 0.05);
}

#[test]
fn a_watch_ends_cleanly_by_ctrl_c() {
    if !has_interrupts() {
        return;
    }
    let user = User::new();
    let out = user.folder().join("out");
    let file = fs::File::create(&out).unwrap();
    let mut command = user.command(&["irq", "--watch", "--for", "20ms"]);
    let mut child = command.stdout(file).stderr(Stdio::piped()).spawn().unwrap();
    let blocks = || {
        let text = fs::read_to_string(&out).unwrap();
        text.matches("counted for").count()
    };
    wait_for("two blocks", || blocks() >= 2);
    send("INT", &child);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let mut counting = user.command(&["irq", "--for", "1h"]);
    let child = counting.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The handler is there once the first snapshot is read.
    thread::sleep(Duration::from_secs(2));
    send("INT", &child);
    let output = child.wait_with_output().unwrap();
    // The counts since boot need no wait; a count that is stopped has no result.
    assert!(!stdout(&output).contains("per second"), "{}", stdout(&output));
    assert_ne!(output.status.code(), Some(0));
}
