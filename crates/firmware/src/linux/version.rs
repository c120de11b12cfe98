//! The kernel's version, which selects the rules.

use std::fmt;

use serde::{Serialize, Serializer};

/// Major and minor number of a release: 6.12 of "6.12.117-amd64".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KernelVersion {
    /// The first number.
    pub major: u32,
    /// The second number.
    pub minor: u32,
}

impl KernelVersion {
    /// A version from its two numbers.
    pub const fn new(major: u32, minor: u32) -> Self {
        Self { major, minor }
    }

    /// Parses a release ("6.1.0-28-amd64"), or a whole line with one ("Linux version 6.1.0-28-amd64
    /// (debian..."). `None` for other text.
    ///
    /// # References
    ///
    /// uname(2)
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.split_once("Linux version ").map_or(text, |(_, rest)| rest).trim_start();
        let (major, rest) = text.split_once('.')?;
        let minor = rest.split(|c: char| !c.is_ascii_digit()).next()?;
        Some(Self { major: major.parse().ok()?, minor: minor.parse().ok()? })
    }
}

/// A current kernel.
impl Default for KernelVersion {
    fn default() -> Self {
        Self::new(6, 12)
    }
}

impl fmt::Display for KernelVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl Serialize for KernelVersion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_and_version_lines_are_parsed() {
        assert_eq!(KernelVersion::parse("6.1.0-28-amd64"), Some(KernelVersion::new(6, 1)));
        assert_eq!(
            KernelVersion::parse("Linux version 6.12.117 (gcc)"),
            Some(KernelVersion::new(6, 12))
        );
        assert_eq!(KernelVersion::parse("7.0-rc1"), Some(KernelVersion::new(7, 0)));
        assert_eq!(KernelVersion::parse("six"), None);
        assert_eq!(KernelVersion::parse("99999999999.1"), None);
        assert!(KernelVersion::new(6, 9) < KernelVersion::new(6, 12));
    }
}
