//! Documents of instruments that ran in a guest.

use serde_json::Value;

use crate::lab::lab;

/// Runs an instrument in a machine that is slowed down so far; its document.
pub(crate) fn measured(machine: &str, slowdown: f64, command: &str) -> Value {
    let slow = slowdown.to_string();
    let words = ["run", machine, "--slowdown", &slow, "--timeout", "900", "--"];
    let output = lab(&[&words[..], &command.split(' ').collect::<Vec<_>>()].concat());
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{machine}: {stderr}");
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{machine}: {error}: {stderr}"))
}

pub(crate) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

pub(crate) fn index(value: &Value) -> usize {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no index")) as usize
}

/// The cells of a part.
pub(crate) fn cells(part: &Value) -> impl Iterator<Item = &Value> {
    part["cells"].as_array().unwrap_or_else(|| panic!("no cells: {part}")).iter()
}

/// A cell's figure; else what became of its samples.
pub(crate) fn median(cell: &Value) -> Result<f64, String> {
    cell["median"].as_f64().ok_or_else(|| format!("no figure: {cell}"))
}

/// Whether a figure is the modelled one, within a share of it.
pub(crate) fn is_near(what: &str, found: f64, truth: f64, within: f64) -> Result<(), String> {
    let off = found / truth - 1.0;
    eprintln!("{what}: {found:.1} found, {truth:.1} put in, {:+.1} %", off * 100.0);
    if off.abs() <= within {
        Ok(())
    } else {
        Err(format!("{what}: {found:.1} found, {truth:.1} put in"))
    }
}
