//! Interrupts under Debian's irqbalance.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

use super::sections::{sections_of, words};
use crate::lab::{is_ready_with, lab, machine};

const SCRIPT: &str = include_str!("balanced.sh");
/// In the sentence of `irq-changed-under-irqbalance`.
const CHANGED: &str = "changed within";

#[test]
fn what_irqbalance_undoes_is_found() {
    if !is_ready_with("x86_64", &["irqbalance"]) {
        return;
    }
    let kit = PathBuf::from(std::env::var_os("NEARFAR_LAB_KIT").unwrap());
    let irqbalance = kit.join("x86_64/irqbalance").display().to_string();
    let machine = machine("interrupts");
    let sections = sections_of(&lab(&words(&machine, &["--with", &irqbalance], SCRIPT)));
    let text = |name: &str| sections.get(name).map_or("", String::as_str);
    banned_interrupts_stay(&sections);

    let balancer = balancer(&sections, "free");
    assert_eq!(balancer["state"], "running");
    assert_eq!(balancer["arguments"], serde_json::json!(["--foreground", "-t", "1"]));
    assert_eq!(balancer["banned_interrupts"], serde_json::json!([]));
    let set = document(&sections, "free-set");
    assert_eq!(warnings(&set), ["irqbalance", "far-cpus"], "{set:#}");
    assert_eq!(text("free-set-state").trim(), "0");
    let watch = text("free-watch");
    let sentence = "irqbalance runs, and the allowed CPUs of irq ";
    assert!(watch.contains(sentence) && watch.contains("(from 0 to "), "{watch}");
    assert!(watch.contains(CHANGED) && watch.starts_with("status 0\n"), "{watch}");
    assert_eq!(self::balancer(&sections, "ended")["state"], "not-seen");
}

/// With `--banirq` irqbalance leaves an interrupt alone, and there is neither warning nor finding.
fn banned_interrupts_stay(sections: &BTreeMap<String, String>) {
    let balancer = balancer(sections, "banned");
    assert_eq!(balancer["state"], "running");
    let set = document(sections, "banned-set");
    let number = &set["settings"][0]["setting"]["irq"];
    assert_eq!(balancer["banned_interrupts"], serde_json::json!([number]));
    assert_eq!(warnings(&set), ["far-cpus"], "{set:#}");
    let watch = &sections["banned-watch"];
    assert!(watch.starts_with("status 0\n") && watch.contains("counted for"), "{watch}");
    assert!(!watch.contains(CHANGED) && !watch.contains("no '"), "{watch}");
    assert_eq!(sections["banned-state"].trim(), "0");
}

fn document(sections: &BTreeMap<String, String>, name: &str) -> Value {
    serde_json::from_str(&sections[name]).unwrap_or_else(|_| panic!("{name}: {sections:?}"))
}

fn balancer(sections: &BTreeMap<String, String>, name: &str) -> Value {
    document(sections, name)["balancer"].clone()
}

fn warnings(set: &Value) -> Vec<&str> {
    let warnings = set["warnings"].as_array().unwrap();
    warnings.iter().map(|warning| warning["code"].as_str().unwrap()).collect()
}
