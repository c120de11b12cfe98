//! Labels of rows and columns that documents keep: written and read here.

use std::fmt;

use crate::CpuId;

/// A label of something smaller than a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceLabel {
    /// One CPU: "CPU 3".
    Cpu(CpuId),
    /// A set of pages of one node: "set 3".
    PageSet(usize),
}

impl PlaceLabel {
    const CPU: &str = "CPU ";
    const PAGE_SET: &str = "set ";

    /// What a label names; none of nodes and others.
    pub fn parse(label: &str) -> Option<Self> {
        if let Some(cpu) = label.strip_prefix(Self::CPU) {
            return cpu.parse().ok().map(|cpu| Self::Cpu(CpuId(cpu)));
        }
        label.strip_prefix(Self::PAGE_SET)?.parse().ok().map(Self::PageSet)
    }
}

impl fmt::Display for PlaceLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu(cpu) => write!(f, "{}{cpu}", Self::CPU),
            Self::PageSet(number) => write!(f, "{}{number}", Self::PAGE_SET),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_read_as_written() {
        for label in [PlaceLabel::Cpu(CpuId(12)), PlaceLabel::PageSet(3)] {
            assert_eq!(PlaceLabel::parse(&label.to_string()), Some(label));
        }
        assert_eq!(PlaceLabel::parse("node 1"), None);
    }
}
