//! Scripts whose output has sections, in a guest with devices.

use std::collections::BTreeMap;

use crate::lab::lab;

const MACHINE: &str = "devices-2s";

/// The sections by name: each begins with `== name`.
pub(crate) fn run(script: &str) -> BTreeMap<String, String> {
    let words = ["run", MACHINE, "--no-plugin", "--no-wait", "--timeout", "900", "--"];
    let output = lab(&[&words[..], &["sh", "-c", script]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut sections = BTreeMap::new();
    let mut name = String::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        if let Some(next) = line.strip_prefix("== ") {
            next.trim().clone_into(&mut name);
        } else {
            let section = sections.entry(name.clone()).or_insert_with(String::new);
            *section += &format!("{}\n", line.trim_end());
        }
    }
    sections
}
