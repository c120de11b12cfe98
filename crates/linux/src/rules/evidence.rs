//! Causes as rules make them, and the bytes that they go by.

use nearfar_firmware::TableFile;
use nearfar_firmware::acpi::{Entry, Hex};

use crate::cause::{Cause, Doubt, Effect, Evidence, MOST_SHOWN};

/// A cause without an entry at fault.
pub(super) fn bare(
    code: &'static str,
    effect: Effect,
    what: impl Into<String>,
    linux_source: &'static str,
) -> Cause {
    let what = what.into();
    Cause { code, effect, what, message: None, linux_source, versions: None, evidence: Vec::new() }
}

impl Cause {
    /// The same with what the kernel prints.
    pub(super) fn says(self, message: impl Into<String>) -> Self {
        Self { message: Some(message.into()), ..self }
    }

    /// The same with how versions differ.
    pub(super) fn versions(self, versions: &'static str) -> Self {
        Self { versions: Some(versions), ..self }
    }

    /// The same with the entries at fault.
    pub(super) fn shows(self, evidence: impl IntoIterator<Item = Evidence>) -> Self {
        Self { evidence: evidence.into_iter().collect(), ..self }
    }
}

/// A doubt, with the entries that it is about.
pub(super) fn doubt(
    code: &'static str,
    what: impl Into<String>,
    evidence: impl IntoIterator<Item = Evidence>,
) -> Doubt {
    Doubt { code, what: what.into(), evidence: evidence.into_iter().collect() }
}

/// The bytes of an entry.
pub(super) fn entry_bytes<B>(file: &TableFile, entry: &Entry<B>) -> Evidence {
    evidence(file, entry.offset, entry.length as usize)
}

/// The bytes of a table at a place.
pub(super) fn evidence(file: &TableFile, offset: usize, length: usize) -> Evidence {
    let end = offset.saturating_add(length.min(MOST_SHOWN)).min(file.bytes.len());
    let bytes = file.bytes.get(offset..end).unwrap_or_default();
    Evidence {
        table: file.name.clone(),
        path: file.path.clone(),
        offset: Some(offset),
        bytes: Hex(bytes.into()),
    }
}
