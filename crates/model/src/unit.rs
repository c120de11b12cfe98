//! Units of figures.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The unit of a table of figures, with its names in documents and on screens.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
pub enum Unit {
    /// Time of one access.
    #[default]
    #[serde(rename = "ns")]
    Nanoseconds,
    /// Rate of streams; screens show GB/s.
    #[serde(rename = "bytes/s")]
    BytesPerSecond,
}

impl Unit {
    /// Bytes in a gigabyte: 10^9, as in specifications of memory.
    pub const GIGABYTE: f64 = 1e9;

    /// Bytes of a streaming sample, as the program counts them.
    const TIMED_BYTES: f64 = 1_048_576.0;

    /// The figure for a sample's value: the nanoseconds of one access, or of 1 MiB of streaming.
    pub const fn figure(self, value_ns: f64) -> f64 {
        match self {
            Self::Nanoseconds => value_ns,
            Self::BytesPerSecond => Self::TIMED_BYTES * 1e9 / value_ns,
        }
    }

    /// The sample's value, in nanoseconds, for a figure.
    pub const fn value_ns(self, figure: f64) -> f64 {
        // The conversion of a time to a rate is its own inverse.
        self.figure(figure)
    }

    /// The symbol on screens.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Nanoseconds => "ns",
            Self::BytesPerSecond => "GB/s",
        }
    }

    /// A document's figure in the unit of screens.
    pub const fn shown(self, figure: f64) -> f64 {
        match self {
            Self::Nanoseconds => figure,
            Self::BytesPerSecond => figure / Self::GIGABYTE,
        }
    }

    /// The suffix of a column's name in CSV, where figures have the document's unit.
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::Nanoseconds => "ns",
            Self::BytesPerSecond => "bytes_per_s",
        }
    }

    /// Whether a larger figure is better.
    pub const fn more_is_better(self) -> bool {
        match self {
            Self::Nanoseconds => false,
            Self::BytesPerSecond => true,
        }
    }
}

impl fmt::Display for Unit {
    /// The name in documents.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_and_display_use_the_same_name() {
        for unit in [Unit::Nanoseconds, Unit::BytesPerSecond] {
            assert_eq!(serde_json::to_value(unit).unwrap(), unit.to_string());
        }
    }

    #[test]
    fn mebibytes_become_bytes_per_second() {
        assert!((Unit::BytesPerSecond.figure(104_857.6) - 1e10).abs() < 1.0);
    }
}
