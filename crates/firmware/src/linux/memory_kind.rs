//! Kinds of memory in firmware's memory map.

use serde::Serialize;

/// The kind of memory in a range.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryKind {
    /// Memory that the kernel may use.
    Ram,
    /// Specific-purpose memory that the kernel reserves (`soft reserved`).
    SpecialPurpose,
    /// Non-volatile memory.
    Persistent,
    /// Anything else, in the kernel's words: "reserved", "ACPI data".
    Other(String),
}

impl MemoryKind {
    /// From the kernel's name: "System RAM" in sysfs, "usable" in the log.
    pub fn from_words(words: &str) -> Self {
        let lower = words.to_ascii_lowercase();
        if lower == "usable" || lower == "system ram" || lower == "conventional memory" {
            Self::Ram
        } else if lower.starts_with("soft reserved") {
            Self::SpecialPurpose
        } else if lower.starts_with("persistent memory") {
            Self::Persistent
        } else {
            Self::Other(words.to_owned())
        }
    }
}
