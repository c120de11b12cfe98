//! What stands below every table: entries that were not understood, and what is wrong.

use nearfar_firmware::Fault;
use nearfar_firmware::acpi::{Body, Entry, Hex};
use nearfar_terminal::table::Align;

use super::fields;

/// How many entries or faults are shown one by one; the JSON document has them all.
const MOST: usize = 20;
/// How many bytes of an entry are shown.
const MOST_BYTES: usize = 24;

/// Entries of unknown types, and those that are too short for their type, as bytes.
pub(super) fn entries<B>(all: &[Entry<B>]) -> String {
    let line = |entry: &Entry<B>| {
        let (why, bytes) = match &entry.body {
            Body::Known(_) => return None,
            Body::Short { bytes } => ("too short for its type", bytes),
            Body::Unknown { bytes } => ("unknown type", bytes),
        };
        Some([
            entry.offset.to_string(),
            entry.kind.to_string(),
            entry.length.to_string(),
            why.to_owned(),
            digits(bytes),
        ])
    };
    let mut lines: Vec<_> = all.iter().filter_map(line).collect();
    let more = lines.len().saturating_sub(MOST);
    lines.truncate(MOST);
    let heads = ["offset", "type", "length", "why", "bytes"];
    let (left, right) = (Align::Left, Align::Right);
    let text = fields::table("Entries that are not understood", heads, [right, right, right, left, left], lines);
    text + &and_more(more)
}

/// What is wrong with a table.
pub(super) fn faults(faults: &[Fault]) -> String {
    if faults.is_empty() {
        return String::new();
    }
    let shown = faults.iter().take(MOST).map(|fault| format!("  offset {}: {}\n", fault.offset, fault.what));
    format!("What is wrong with it\n{}", shown.collect::<String>()) + &and_more(faults.len().saturating_sub(MOST))
}

fn and_more(more: usize) -> String {
    if more == 0 { String::new() } else { format!("  and {more} more: --json has them\n") }
}

fn digits(bytes: &Hex) -> String {
    let Hex(all) = bytes;
    let mut text: String = all.iter().take(MOST_BYTES).map(|byte| format!("{byte:02x}")).collect();
    if all.len() > MOST_BYTES {
        text.push_str("...");
    }
    text
}
