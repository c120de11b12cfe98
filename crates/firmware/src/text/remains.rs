//! What stands below every table: entries that were not understood, and what is wrong.

use nearfar_view::text::{and_more, first_lines};

use super::fields;
use crate::Fault;
use crate::acpi::{EntryBody, HexBytes, TableEntry};

/// How many entries or faults are shown one by one; the JSON document has them all.
const MOST: usize = 20;
/// How many bytes of an entry are shown.
const MAX_BYTES: usize = 24;

/// Entries of unknown types, and those that are too short for their type, as bytes.
pub(super) fn entries<B>(all: &[TableEntry<B>]) -> String {
    let line = |entry: &TableEntry<B>| {
        let (why, bytes) = match &entry.body {
            EntryBody::Known(_) => return None,
            EntryBody::Short { bytes } => ("too short for its type", bytes),
            EntryBody::Unknown { bytes } => ("unknown type", bytes),
        };
        let [offset, kind, length] =
            [entry.offset.to_string(), entry.kind.to_string(), entry.length.to_string()];
        Some([offset, kind, length, why.to_owned(), digits(bytes)])
    };
    let mut lines: Vec<_> = all.iter().filter_map(line).collect();
    let more = lines.len().saturating_sub(MOST);
    lines.truncate(MOST);
    let heads = [">offset", ">type", ">length", "why", "bytes"];
    fields::table("Entries that are not understood", heads, lines) + &and_more(more, "  ")
}

/// What is wrong with a table.
pub(super) fn faults(faults: &[Fault]) -> String {
    if faults.is_empty() {
        return String::new();
    }
    let lines = faults.iter().map(|fault| format!("  offset {}: {}\n", fault.offset, fault.what));
    "What is wrong with it\n".to_owned() + &first_lines(lines, MOST, "  ")
}

fn digits(HexBytes(all): &HexBytes) -> String {
    let shown: String = all.iter().take(MAX_BYTES).map(|byte| format!("{byte:02x}")).collect();
    shown + if all.len() > MAX_BYTES { "..." } else { "" }
}
