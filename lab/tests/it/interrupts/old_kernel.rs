//! Linux 6.1, which does not show which interrupts it manages.

use std::path::PathBuf;

use serde_json::Value;

use super::sections::{sections_of, words};
use crate::lab::{is_ready_with, lab, machine};

const SCRIPT: &str = include_str!("old_kernel.sh");

#[test]
fn managed_interrupts_are_unknown_until_they_are_tried() {
    if !is_ready_with("x86_64", &["linux-6.1/vmlinuz"]) {
        return;
    }
    let kit = PathBuf::from(std::env::var_os("NEARFAR_LAB_KIT").unwrap());
    let kernel = kit.join("x86_64/linux-6.1").display().to_string();
    let machine = machine("interrupts");
    let sections = sections_of(&lab(&words(&machine, &["--kernel", &kernel], SCRIPT)));
    let text = |name: &str| sections.get(name).map_or("", String::as_str);

    let shown: Value = serde_json::from_str(text("shown")).unwrap();
    assert!(shown["kernel"].as_str().unwrap().starts_with("6.1."), "{}", shown["kernel"]);
    let devices = shown["devices"].as_array().unwrap();
    let irqs: Vec<&Value> =
        devices.iter().flat_map(|device| device["interrupts"].as_array().unwrap()).collect();
    assert!(irqs.len() > 5 && irqs.iter().all(|irq| irq["control"] == "unknown"), "{irqs:?}");
    let screen = text("shown-text");
    assert!(screen.contains("Which interrupts the kernel manages is unknown"), "{screen}");
    assert!(!screen.contains("(m)"), "{screen}");

    // The first is the administration queue, which the kernel lets go: it is put back.
    assert_eq!(text("disk-refused-status").trim(), "1");
    let refused = text("disk-refused");
    assert!(refused.contains("is managed by the kernel: change the number of queues"), "{refused}");
    assert_eq!(refused.lines().count(), 1, "{refused}");
    assert_eq!(text("disk-after"), text("disk-before"));
    assert_eq!(text("notes").trim(), "irq.lock");

    assert_eq!(text("card-set-status").trim(), "0", "{}", text("card-set"));
    let state = text("card-set-state");
    assert!(
        state.lines().count() == 3 && state.lines().all(|line| line.ends_with(" 2-3")),
        "{state}"
    );
    assert_eq!(text("card-undo-status").trim(), "0", "{}", text("card-undo"));
    assert_eq!(text("card-after"), text("card-before"));
}
