//! Interrupts of real drivers, set and put back.

mod balanced;
mod old_kernel;
mod queues;
pub(crate) mod sections;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde_json::Value;

use crate::lab::is_ready;

const SCRIPT: &str = include_str!("interrupts/set.sh");

/// The sections of the script's output, by name; `None` where the kit is incomplete.
fn all_sections() -> Option<&'static BTreeMap<String, String>> {
    static SECTIONS: OnceLock<BTreeMap<String, String>> = OnceLock::new();
    if !is_ready("x86_64") {
        return None;
    }
    Some(SECTIONS.get_or_init(|| sections::run(SCRIPT)))
}

/// A section; empty if it has no lines.
fn text(name: &str) -> &'static str {
    all_sections().unwrap().get(name).map_or("", String::as_str)
}

fn status(name: &str) -> &'static str {
    text(&format!("{name}-status")).trim()
}

/// The second words of the lines `interrupt CPUs`.
fn cpus(name: &str) -> Vec<&'static str> {
    text(name).lines().filter_map(|line| line.split_once(' ')).map(|(_, cpus)| cpus).collect()
}

/// The counts of CPUs 0 to 3.
fn counts(name: &str) -> Vec<u64> {
    let words = text(name).split_whitespace().skip(1).take(4);
    words.map(|count| count.parse().unwrap()).collect()
}

#[test]
fn card_moves_to_the_far_node_and_back() {
    if all_sections().is_none() {
        return;
    }
    assert_eq!(status("card-dry"), "0", "{}", text("card-dry"));
    assert!(text("card-dry").contains("would be set"), "{}", text("card-dry"));
    assert_eq!(text("card-before"), text("card-after-dry"));
    assert_eq!(cpus("card-before").len(), 3);
    assert_eq!(cpus("card-far-state"), ["2-3"; 3]);
    let set: Value = serde_json::from_str(text("card-far")).unwrap();
    assert_eq!((&set["action"], &set["node"]), (&Value::from("set"), &Value::from(0)), "{set:#}");
    assert_eq!(set["warnings"][0]["code"], "far-cpus", "{set:#}");
    for one in set["settings"].as_array().unwrap() {
        assert_eq!((&one["asked"], &one["now"]), (&"2-3".into(), &"2-3".into()), "{one:#}");
        let effective = one["effective"].as_str().unwrap();
        assert_eq!(one["pending"], !["2", "3"].contains(&effective), "{one:#}");
    }
    // Interrupts arrived: the kernel moved them.
    let effective = cpus("card-far-effective");
    assert!(effective.iter().any(|cpu| ["2", "3"].contains(cpu)), "{effective:?}");
    assert_eq!(cpus("card-near-state"), ["0-1"; 3]);
    assert_eq!(status("card-offline"), "1");
    assert!(text("card-offline").contains("CPU 7 is not online: CPUs 0-3 are"));
    assert_eq!(status("card-undo"), "0", "{}", text("card-undo"));
    assert_eq!(text("card-after-undo"), text("card-before"), "the first state");
    assert_eq!(status("card-undo-again"), "1");
    assert!(text("card-undo-again").contains("nothing to undo for NIC"));
    assert_eq!(text("notes").trim(), "irq.lock");
}

#[test]
fn reads_of_a_usb_disk_interrupt_the_chosen_cpu() {
    if all_sections().is_none() {
        return;
    }
    let more = |from: &str, to: &str| -> Vec<u64> {
        counts(to).iter().zip(counts(from)).map(|(to, from)| to - from).collect()
    };
    let far = more("usb-far-counts", "usb-far-more");
    assert!(far[0] >= 64 && far[1..] == [0; 3], "{far:?} {}", text("usb-far"));
    let near = more("usb-near-counts", "usb-near-more");
    assert!(near[2] + near[3] >= 64 && near[..2] == [0; 2], "{near:?} {}", text("usb-near"));
    assert_eq!(status("usb-undo"), "0");
}

#[test]
fn managed_interrupts_stay() {
    if all_sections().is_none() {
        return;
    }
    let sentence = "managed by the kernel: change the number of queues, or isolcpus=managed_irq; \
                    --skip-managed sets the other 1";
    for name in ["disk-refused", "disk-lasting"] {
        let refused = text(name);
        assert_eq!(status(name), "1", "{refused}");
        assert!(refused.contains(sentence) && refused.lines().count() == 1, "{refused}");
    }
    assert_eq!(text("disk-before"), text("disk-after"));
    assert_eq!(status("disk-skipped"), "0", "{}", text("disk-skipped"));
    assert_eq!(status("disk-undo"), "0");
}

#[test]
fn queues_get_cpus_of_the_node() {
    if all_sections().is_none() {
        return;
    }
    assert_eq!(status("queues"), "0", "{}", text("queues"));
    let masks: Vec<&str> = text("masks-set").lines().collect();
    // Four transmit queues share CPUs 2 and 3 of node 1.
    let of = |kind: &str| -> Vec<&str> {
        let masks = masks.iter().filter(|line| line.contains(kind));
        masks.filter_map(|line| line.rsplit(' ').next()).collect()
    };
    assert_eq!(of("xps_cpus"), ["4", "8", "4", "8"]);
    assert_eq!(of("rps_cpus"), ["c"; 4]);
    assert_eq!(text("masks-before"), text("masks-after"));
    let refused = text("one-queue");
    assert_eq!(status("one-queue"), "1");
    assert!(refused.contains("eth1 tx-0 (XPS)") && refused.contains("one transmit queue"));
    assert_eq!(text("one-queue-state"), text("card-after-undo"), "no interrupt was set");
}

#[test]
fn undo_restores_after_kills() {
    if all_sections().is_none() {
        return;
    }
    let kills: Vec<&str> = text("killed").lines().collect();
    assert_eq!(kills.len(), 6);
    assert!(kills.iter().all(|line| line.ends_with(" 0 restored")), "{kills:?}");
    assert!(kills.iter().any(|line| line.starts_with("killed")), "{kills:?}");
    assert_eq!(text("notes-after").trim(), "irq.lock");
}
