//! Scripts whose output has sections, in a guest with devices.

use std::collections::BTreeMap;
use std::process::Output;

use crate::lab::lab;

const MACHINE: &str = "devices-2s";

/// The sections by name: each begins with `== name`.
pub(crate) fn run(script: &str) -> BTreeMap<String, String> {
    sections_of(&lab(&words(MACHINE, &[], script)))
}

/// The command of a guest that is not timed, and runs a script.
pub(crate) fn words<'a>(machine: &'a str, options: &[&'a str], script: &'a str) -> Vec<&'a str> {
    let run = ["run", machine, "--no-plugin", "--no-wait", "--timeout", "900"];
    [&run[..], options, &["--", "sh", "-c", script]].concat()
}

/// The sections of a guest's output.
pub(crate) fn sections_of(output: &Output) -> BTreeMap<String, String> {
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
