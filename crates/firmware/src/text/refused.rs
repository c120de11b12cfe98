//! Tables that Linux does not use, as far as they alone show it.

use crate::acpi::AcpiTable;
use crate::linux::{invalid_distance, is_known_revision, rejected_entry};

/// A table that Linux does not use.
pub(super) struct Refused {
    /// "rejected by Linux".
    pub(super) verdict: &'static str,
    /// Why, in a sentence.
    pub(super) sentence: String,
}

/// Whether Linux uses a table; `None` where it does, or where other tables decide it.
pub(super) fn refused(table: &AcpiTable) -> Option<Refused> {
    match table {
        AcpiTable::Slit(table) => {
            let (row, column, value) = invalid_distance(&table.content)?;
            let entry = rejected_entry(row, column, value);
            let sentence = format!("Linux rejects this SLIT: {entry}. It uses 10 and 20.");
            Some(Refused { verdict: "rejected by Linux", sentence })
        }
        AcpiTable::Hmat(table) if !is_known_revision(table.header.revision) => {
            let revision = table.header.revision;
            let sentence =
                format!("Linux ignores this HMAT: its revision is {revision}, not 1 or 2.");
            Some(Refused { verdict: "ignored by Linux", sentence })
        }
        _ => None,
    }
}
