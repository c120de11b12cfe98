//! What is wrong with a table: kept beside what could be read of it, never instead of it.

use serde::Serialize;

/// How many faults of one table are kept one by one; one with more has something wrong with all of
/// it.
const MAX_FAULTS: usize = 100;

/// Something in a table that cannot be as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// Where, in bytes from the start of the table.
    pub offset: usize,
    /// What kind of thing.
    pub kind: FaultKind,
    /// What is wrong, in a sentence.
    pub what: String,
}

/// The kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// The bytes do not add up to 0.
    BadChecksum,
    /// The table says that it is longer than its file.
    CutShort,
    /// The file goes on after the end of the table.
    FileTooLong,
    /// An entry says that it has no bytes, or fewer than its own head: what follows cannot be
    /// found.
    ZeroLength,
    /// An entry goes on after the end of the table.
    BeyondTable,
    /// An entry is shorter than its type needs.
    ShortEntry,
    /// Bytes at the end are too few for an entry.
    LeftOver,
    /// A count or an offset promises more than there is.
    CountBeyondTable,
    /// A count contradicts what is there.
    WrongCount,
    /// A part of the structure makes no sense.
    Damaged,
    /// There is more of this than any machine needs; the rest was not read, or not listed.
    Flood,
}

/// The faults of one table, as they are found.
#[derive(Debug, Default)]
pub(super) struct Faults {
    kept: Vec<Fault>,
    more: usize,
}

impl Faults {
    /// Keeps one. The sentence is made only if it is kept.
    pub(super) fn add(&mut self, offset: usize, kind: FaultKind, what: impl FnOnce() -> String) {
        if self.kept.len() < MAX_FAULTS {
            self.kept.push(Fault { offset, kind, what: what() });
        } else {
            self.more += 1;
        }
    }

    /// All of them; a last one counts those that were too many.
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
    fn a_flood_of_faults_is_counted() {
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
