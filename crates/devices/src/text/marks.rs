//! What marks in the table mean, for those that are in it.

use nearfar_view::text::paragraph;

use super::{link, rows};
use crate::{Device, DevicesDocument, NodeVerdict};

type Mark = (fn(&Device) -> bool, &'static str, &'static str);

const MARKS: [Mark; 9] = [
    (
        |device| is_unknown(device) && device.node.unreadable().next().is_none(),
        "node ?",
        "no witness names a node.",
    ),
    (
        |device| is_unknown(device) && device.node.unreadable().next().is_some(),
        "node ?",
        "no source that was readable names a node; others are for root only.",
    ),
    (
        |device| device.node.verdict == NodeVerdict::FirmwareOnly,
        "(firmware)",
        "the kernel knows no node; firmware names this one.",
    ),
    (
        |device| device.node.verdict == NodeVerdict::Disputed,
        "(disputed)",
        "witnesses name different nodes. This is the kernel's, which programs get.",
    ),
    (
        |device| device.node.verdict == NodeVerdict::Measured,
        "(measured)",
        "copies from and to all nodes showed that this one is nearest ('nearfar gpu').",
    ),
    (
        |device| device.link.is_some_and(link::has_two_values),
        "link x8/16",
        "x8 now, x16 supported by the device; GT/s likewise. Idle devices lower their speed.",
    ),
    (
        |device| device.narrow_link.is_some(),
        "(x8 above)",
        "a link above the device's own has x8 only. --json names its bridge.",
    ),
    (
        |device| device.interrupts.only_allowed && device.interrupts.count > 0,
        "allowed",
        "the kernel shows on which CPUs interrupts may run, not on which they do.",
    ),
    (rows::run_far_away, "(node N!)", "no interrupt runs on a CPU near the device."),
];

fn is_unknown(device: &Device) -> bool {
    device.node.node.is_none() && device.node.verdict == NodeVerdict::Unknown
}

/// The marks in the table, with what they mean.
pub fn used(document: &DevicesDocument) -> impl Iterator<Item = (&'static str, &'static str)> {
    let used = MARKS.iter().filter(|(applies, ..)| document.devices.iter().any(applies));
    used.map(|(_, mark, meaning)| (*mark, *meaning))
}

/// A line for each mark, after an empty line.
pub(super) fn text(document: &DevicesDocument) -> String {
    let lines: String = used(document)
        .map(|(mark, meaning)| paragraph::of(meaning, &format!("{mark}: "), "  "))
        .collect();
    if lines.is_empty() { lines } else { format!("\n{lines}") }
}
