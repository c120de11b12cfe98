//! Sizes with their unit in the type.

use std::fmt;
use std::iter::Sum;
use std::ops::Add;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A size in bytes.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Bytes(pub u64);

crate::schema_as!(Bytes: u64);

impl Bytes {
    /// A number of KiB.
    pub const fn kib(count: u64) -> Self {
        Self(count << 10)
    }

    /// A number of MiB.
    pub const fn mib(count: u64) -> Self {
        Self(count << 20)
    }

    /// A number of GiB.
    pub const fn gib(count: u64) -> Self {
        Self(count << 30)
    }
}

impl Add for Bytes {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Self>>(sizes: I) -> Self {
        sizes.fold(Self(0), Self::add)
    }
}

const UNITS: [(&str, u32); 6] =
    [("EiB", 60), ("PiB", 50), ("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];

impl fmt::Display for Bytes {
    /// Three significant digits, in the largest unit of 1024 that gives at least 1: "1.5 GiB", "512
    /// KiB", "12 B".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((unit, shift)) = UNITS.iter().find(|(_, shift)| self.0 >> shift > 0) else {
            return f.pad(&format!("{} B", self.0));
        };
        let value = self.0 as f64 / (1u64 << shift) as f64;
        let decimals = if value >= 99.95 || value.fract() == 0.0 {
            0
        } else if value >= 9.995 {
            1
        } else {
            2
        };
        let digits = format!("{value:.decimals$}");
        let trimmed =
            if decimals > 0 { digits.trim_end_matches('0').trim_end_matches('.') } else { &digits };
        f.pad(&format!("{trimmed} {unit}"))
    }
}

/// A text that is not a size.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{text}' is not a size: write bytes, or a number with K, M, G or T (times 1024)")]
pub struct BytesTextError {
    text: String,
}

impl FromStr for Bytes {
    type Err = BytesTextError;

    /// Parses "4096", "16M", "16MiB", "16 MB", "1G". Suffixes are powers of 1024, as in numactl and
    /// the kernel.
    fn from_str(text: &str) -> Result<Self, BytesTextError> {
        let fail = || BytesTextError { text: text.chars().take(40).collect() };
        let clean = text.trim();
        let digits = clean.bytes().take_while(u8::is_ascii_digit).count();
        let (number, suffix) = clean.split_at(digits);
        let shift = match suffix.trim().to_ascii_lowercase().as_str() {
            "" | "b" => 0,
            "k" | "kb" | "kib" => 10,
            "m" | "mb" | "mib" => 20,
            "g" | "gb" | "gib" => 30,
            "t" | "tb" | "tib" => 40,
            _ => return Err(fail()),
        };
        let number: u64 = number.parse().map_err(|_| fail())?;
        number.checked_mul(1 << shift).map(Self).ok_or_else(fail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_and_print() {
        for (text, bytes) in [
            ("4096", 4096),
            ("16M", 16 << 20),
            ("2 MiB", 2 << 20),
            ("1g", 1 << 30),
            ("3kB", 3 << 10),
        ] {
            assert_eq!(text.parse(), Ok(Bytes(bytes)), "{text}");
        }
        for (bytes, text) in [
            (Bytes(12), "12 B"),
            (Bytes::mib(2), "2 MiB"),
            (Bytes::mib(1536), "1.5 GiB"),
            (Bytes::gib(512), "512 GiB"),
            (Bytes(134_217_728_000), "125 GiB"),
        ] {
            assert_eq!(bytes.to_string(), text);
        }
    }

    #[test]
    fn nonsense_and_overflow_are_refused() {
        for text in ["", "M", "-1", "1.5G", "12 parsecs", "99999999999999999999", "99999999999T"] {
            assert!(text.parse::<Bytes>().is_err(), "{text}");
        }
    }
}
