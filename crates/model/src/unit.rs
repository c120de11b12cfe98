//! What figures are counted in.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The unit of a table of figures: as documents name it, and as screens show it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Unit {
    /// Time of one access.
    #[default]
    #[serde(rename = "ns")]
    Nanoseconds,
    /// Rate of streams; shown in GB/s.
    #[serde(rename = "bytes/s")]
    BytesPerSecond,
}

impl Unit {
    /// Bytes in a gigabyte: 10^9, as memory's makers count.
    pub const GIGABYTE: f64 = 1e9;

    /// What a sample of streams times: bytes, as the program sees them.
    const TIMED_BYTES: f64 = 1_048_576.0;

    /// The figure of a sample's value: of the nanoseconds that one access, or 1 MiB of streaming,
    /// took.
    pub const fn figure(self, value_ns: f64) -> f64 {
        match self {
            Self::Nanoseconds => value_ns,
            Self::BytesPerSecond => Self::TIMED_BYTES * 1e9 / value_ns,
        }
    }

    /// The sample's value, in nanoseconds, that has this figure.
    pub const fn value_ns(self, figure: f64) -> f64 {
        // A time of a rate is made as a rate of a time.
        self.figure(figure)
    }

    /// How screens name it.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Nanoseconds => "ns",
            Self::BytesPerSecond => "GB/s",
        }
    }

    /// A document's figure as screens show it.
    pub const fn shown(self, figure: f64) -> f64 {
        match self {
            Self::Nanoseconds => figure,
            Self::BytesPerSecond => figure / Self::GIGABYTE,
        }
    }

    /// The end of a column's name in a table for scripts, whose figures are the document's.
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::Nanoseconds => "ns",
            Self::BytesPerSecond => "bytes_per_s",
        }
    }

    /// Whether the larger figure is the better one.
    pub const fn more_is_better(self) -> bool {
        match self {
            Self::Nanoseconds => false,
            Self::BytesPerSecond => true,
        }
    }
}

impl fmt::Display for Unit {
    /// Its name in documents.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_name_a_unit_as_it_is_displayed() {
        for unit in [Unit::Nanoseconds, Unit::BytesPerSecond] {
            assert_eq!(serde_json::to_value(unit).unwrap(), unit.to_string());
        }
    }

    #[test]
    fn a_mebibyte_in_a_hundred_microseconds_is_ten_gigabytes_a_second() {
        assert!((Unit::BytesPerSecond.figure(104_857.6) - 1e10).abs() < 1.0);
    }
}
