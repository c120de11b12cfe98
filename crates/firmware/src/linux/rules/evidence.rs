//! Builders of causes and doubts, and the bytes that they are based on.

use crate::TableFile;
use crate::acpi::{HexBytes, TableEntry};

use crate::linux::{CauseEffect, KernelCause, KernelDoubt, MAX_SHOWN_BYTES, TableEvidence};

/// A cause without evidence.
pub(super) fn bare(
    code: &'static str,
    effect: CauseEffect,
    what: impl Into<String>,
    linux_source: &'static str,
) -> KernelCause {
    let what = what.into();
    KernelCause {
        code,
        effect,
        what,
        message: None,
        linux_source,
        versions: None,
        evidence: Vec::new(),
    }
}

impl KernelCause {
    /// Adds the kernel's message.
    pub(super) fn with_message(self, message: impl Into<String>) -> Self {
        Self { message: Some(message.into()), ..self }
    }

    /// Adds differences between versions.
    pub(super) fn with_versions(self, versions: &'static str) -> Self {
        Self { versions: Some(versions), ..self }
    }

    /// Adds the entries at fault.
    pub(super) fn with_evidence(self, evidence: impl IntoIterator<Item = TableEvidence>) -> Self {
        Self { evidence: evidence.into_iter().collect(), ..self }
    }
}

/// A doubt with its entries.
pub(super) fn doubt(
    code: &'static str,
    what: impl Into<String>,
    evidence: impl IntoIterator<Item = TableEvidence>,
) -> KernelDoubt {
    KernelDoubt { code, what: what.into(), evidence: evidence.into_iter().collect() }
}

/// The bytes of an entry.
pub(super) fn entry_bytes<B>(file: &TableFile, entry: &TableEntry<B>) -> TableEvidence {
    evidence(file, entry.offset, entry.length as usize)
}

/// The bytes of a table at an offset, at most 64.
pub(super) fn evidence(file: &TableFile, offset: usize, length: usize) -> TableEvidence {
    let end = offset.saturating_add(length.min(MAX_SHOWN_BYTES)).min(file.bytes.len());
    let bytes = file.bytes.get(offset..end).unwrap_or_default();
    TableEvidence {
        table: file.name.clone(),
        path: file.path.clone(),
        offset: Some(offset),
        bytes: HexBytes(bytes.into()),
    }
}
