//! Problems of a table. They are kept beside the decoded content and never replace it.

use serde::Serialize;

/// The maximum number of faults that are listed. A table with more is damaged everywhere.
const MAX_FAULTS: usize = 100;

/// One problem of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Fault {
    /// Offset in bytes from the start of the table.
    pub offset: usize,
    /// Its kind.
    pub kind: FaultKind,
    /// A sentence that describes it.
    pub what: String,
}

/// The kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// The bytes do not add up to 0.
    BadChecksum,
    /// The table's length field exceeds the file's size.
    CutShort,
    /// The file has bytes after the end of the table.
    FileTooLong,
    /// An entry's length is smaller than its header, so the next entry cannot be found.
    ZeroLength,
    /// An entry extends beyond the end of the table.
    BeyondTable,
    /// An entry is shorter than its type needs.
    ShortEntry,
    /// The remaining bytes are too few for an entry.
    LeftOver,
    /// A count or an offset points beyond the table.
    CountBeyondTable,
    /// A count contradicts the content.
    WrongCount,
    /// A part of the structure is invalid.
    Damaged,
    /// More items than any machine needs. The rest is not read or not listed.
    Flood,
}

/// Collects the faults of one table.
#[derive(Debug, Default)]
pub(super) struct Faults {
    kept: Vec<Fault>,
    more: usize,
}

impl Faults {
    /// Adds a fault. The sentence is formatted only if the fault is listed.
    pub(super) fn add(&mut self, offset: usize, kind: FaultKind, what: impl FnOnce() -> String) {
        if self.kept.len() < MAX_FAULTS {
            self.kept.push(Fault { offset, kind, what: what() });
        } else {
            self.more += 1;
        }
    }

    /// All listed faults. A final one counts the others.
    pub(super) fn into_list(self) -> Vec<Fault> {
        let mut list = self.kept;
        if self.more > 0 {
            list.push(Fault {
                offset: 0,
                kind: FaultKind::Flood,
                what: format!("and {} more of the kind", self.more),
            });
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excess_faults_are_counted() {
        let mut faults = Faults::default();
        for offset in 0..150 {
            faults.add(offset, FaultKind::Damaged, || format!("fault {offset}"));
        }
        let list = faults.into_list();
        assert_eq!((list.len(), list[99].what.as_str()), (101, "fault 99"));
        assert_eq!(
            (list[100].kind, list[100].what.as_str()),
            (FaultKind::Flood, "and 50 more of the kind")
        );
    }
}
