//! A network card of several queues. QEMU has one only by a tap of the host, in a network
//! namespace of its own.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use super::sections::{sections_of, words};
use crate::lab::{is_ready, machine, report};

const SCRIPT: &str = include_str!("queues.sh");
/// Gives the host's end of the card an address as soon as QEMU has made it.
const OTHER_END: &str = r#"
busybox=$1
shift
(
    for try in $(seq 600); do
        $busybox ip addr add 10.0.9.1/24 dev lab0 2>/dev/null && break
        sleep 0.1
    done
    $busybox ip link set lab0 up
) &
exec "$@"
"#;

#[test]
fn queues_of_a_card_follow_what_is_set() {
    if !is_ready("x86_64") || !has_tap() {
        return;
    }
    let sections = sections_of(&guest());
    let first = document(&sections, "first");
    let card = &first["devices"][0];
    assert_eq!((&card["node"], &card["cpus"]), (&Value::from(1), &Value::from("2-3")), "{card:#}");
    let interface = &card["interfaces"][0];
    let queues = |direction: &str| interface[direction].as_array().unwrap().len();
    assert_eq!((queues("receive"), queues("transmit")), (4, 4), "{interface:#}");
    let irqs = card["interrupts"].as_array().unwrap();
    assert_eq!(irqs.len(), 9, "{card:#}");
    assert!(irqs.iter().all(|irq| irq["control"] == "free"), "{card:#}");

    let masks: Vec<&str> = sections["near-masks"].lines().collect();
    let near = ["c", "c", "c", "c", "4", "8", "4", "8"];
    assert!(masks.iter().zip(near).all(|(mask, cpus)| mask.ends_with(&format!(" {cpus}"))));
    assert_eq!((masks.len(), masks[4]), (8, "tx-0/xps_cpus 4"), "{masks:?}");
    packets_of_a_cpu_stay_on_its_queues(&sections);

    assert_eq!(sections["undone"].trim(), "0");
    assert_eq!(sections["state-undone"], sections["state-first"]);
    far_queues_are_found_by_their_rate(&sections);
    let killed: Vec<&str> = sections["killed"].lines().collect();
    assert_eq!(killed, ["0 restored"; 3]);
}

/// 50 requests of CPU 3, which sends by queues 1 and 3.
fn packets_of_a_cpu_stay_on_its_queues(sections: &BTreeMap<String, String>) {
    assert!(sections["near-sent"].starts_with("50 packets transmitted, 50 packets received"));
    let counts = |name: &str| -> BTreeMap<String, Vec<u64>> {
        let document = document(sections, name);
        let irqs = document["devices"][0]["interrupts"].as_array().unwrap();
        let named = irqs.iter().map(|irq| {
            let by_cpu = irq["by_cpu"].as_array().unwrap();
            let count = |cpu: u64| {
                let own = by_cpu.iter().find(|one| one["cpu"] == cpu);
                own.map_or(0, |one| one["count"].as_u64().unwrap())
            };
            (irq["actions"][0].as_str().unwrap().to_owned(), (0..4).map(count).collect())
        });
        named.collect()
    };
    let (before, after) = (counts("near-before"), counts("near-after"));
    let mut replies = 0;
    for (name, after) in &after {
        let more: Vec<u64> = after.iter().zip(&before[name]).map(|(to, from)| to - from).collect();
        // Linux moves an interrupt when it next comes to its old CPU (kernel/irq/migration.c).
        assert!(more[0] + more[1] <= 1, "{name}: {more:?}");
        if name.contains("input.1") || name.contains("input.3") {
            assert_eq!(more[2], 0, "{name}: {more:?}");
            replies += more[3];
        }
    }
    // Replies that come together share an interrupt.
    assert!((10..=100).contains(&replies), "{replies} {before:?} {after:?}");
}

fn far_queues_are_found_by_their_rate(sections: &BTreeMap<String, String>) {
    let far = document(sections, "far-rates");
    let codes = codes(&far);
    assert!(codes.contains(&"irq-far-from-device"), "{far:#}");
    assert!(far["far_share"].as_f64().unwrap() > 0.9, "{far:#}");
    let moved = document(sections, "moved-rates");
    let codes = self::codes(&moved);
    assert!(!codes.contains(&"irq-far-from-device"), "{moved:#}");
    assert!(moved["far_share"].as_f64().unwrap() < 0.1, "{moved:#}");
    assert!(moved["devices"][0]["count"].as_u64().unwrap() > 10, "{moved:#}");
}

fn codes(document: &Value) -> Vec<&str> {
    let findings = document["findings"].as_array().unwrap();
    findings.iter().map(|finding| finding["code"].as_str().unwrap()).collect()
}

fn document(sections: &BTreeMap<String, String>, name: &str) -> Value {
    serde_json::from_str(&sections[name]).unwrap_or_else(|_| panic!("{name}: {sections:?}"))
}

/// Taps need root and a namespace: not every container permits them.
fn has_tap() -> bool {
    let is_alone = Command::new("unshare")
        .args(["--net", "sh", "-c", ": <>/dev/net/tun"])
        .stderr(Stdio::null())
        .status();
    let has_tap = is_alone.is_ok_and(|status| status.success());
    if !has_tap {
        report("\nSKIPPED queues of a card: no tap (root, 'unshare --net', /dev/net/tun)\n");
    }
    has_tap
}

fn guest() -> Output {
    let kit = PathBuf::from(std::env::var_os("NEARFAR_LAB_KIT").unwrap());
    let mut command = Command::new("unshare");
    command.args(["--net", "sh", "-c", OTHER_END, "sh"]).arg(kit.join("x86_64/busybox"));
    command.arg(env!("CARGO_BIN_EXE_nearfar-lab"));
    command.args(words(&machine("queues"), &[], SCRIPT)).output().unwrap()
}
