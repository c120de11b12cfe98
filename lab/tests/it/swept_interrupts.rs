//! `nearfar sweep --irq` with a real driver: where interrupts run is set, counted and restored.

use serde_json::Value;

use crate::interrupts::sections;
use crate::lab::is_ready;

const SCRIPT: &str = include_str!("interrupts/sweep.sh");

/// One boot of several sweeps.
#[test]
fn interrupts_of_a_usb_disk_are_swept() {
    if !is_ready("x86_64") {
        return;
    }
    let sections = sections::run(SCRIPT);
    let text = |name: &str| sections.get(name).map_or("", String::as_str).trim();
    let status = |name: &str| text(&format!("{name}-status"));
    let before = text("before");

    assert_eq!(status("unnamed"), "2");
    assert!(text("unnamed").starts_with("nearfar: --irq needs --irq-device: one of "));
    assert!(text("unnamed").contains("USB0"), "{}", text("unnamed"));
    assert_eq!(status("managed"), "1");
    assert!(text("managed").contains("are managed by the kernel: change the number of queues"));

    assert_eq!(status("dry"), "0", "{}", text("dry"));
    assert!(text("dry").contains("far: CPUs 0-1 (node 0); near: CPUs 2-3 (node 1)"));
    assert_eq!(text("after-dry"), before);

    assert_eq!(status("reads"), "0", "{}", text("reads"));
    let reads = text("reads").replace('\n', " ");
    assert!(reads.contains("interrupts near USB0: "), "{reads}");
    assert_eq!(text("after-reads"), before);
    counts_follow_the_setting(&serde_json::from_str(text("document")).unwrap());

    assert!(text("idle").contains("too few to decide"), "{}", text("idle"));
    let elsewhere = text("elsewhere").replace('\n', " ");
    assert!(elsewhere.contains("In 3 of 3 runs, interrupts of USB0 did not run"), "{elsewhere}");
    assert_eq!(text("after-elsewhere"), before);

    assert_eq!(text("set"), "0-1");
    assert_ne!(status("locked"), "0");
    assert!(text("locked").contains("switches settings of this machine"), "{}", text("locked"));
    assert_eq!(text("after-kill"), before);
    assert_eq!(text("after-both"), "0-1", "neither was there to restore it");
    assert!(text("next").contains("restored settings that an earlier nearfar had left"));
    assert_eq!((text("after-next"), text("notes")), (before, "irq.lock"));
}

/// The USB disk is on node 1.
fn counts_follow_the_setting(sweep: &Value) {
    for configuration in sweep["configurations"].as_array().unwrap() {
        let node = if configuration["system"]["irq"] == "near" { 1 } else { 0 };
        let runs = configuration["runs"].as_array().unwrap();
        assert_eq!(runs.len(), 6);
        for run in runs {
            let counted = &run["interrupts"];
            let here = counted["by_node"].as_array().unwrap().iter();
            let here: u64 = here
                .filter(|one| one["node"] == node)
                .filter_map(|one| one["count"].as_u64())
                .sum();
            assert!(here >= 64 && counted["elsewhere"].as_u64().unwrap() <= 1, "{run:#}");
        }
    }
}
