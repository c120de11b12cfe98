//! SLIT: what firmware claims a domain's memory costs another domain, relative to local memory,
//! which is 10.

use serde::{Serialize, Serializer};

use super::TableReader;
use crate::fault::FaultKind;

/// Where the count of domains stands, in the CDIT too, and where the distances begin.
const COUNT_AT: usize = 36;
const DISTANCES_AT: usize = 44;

/// The distances between proximity domains: row and column are domain numbers, not the kernel's
/// nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Slit {
    /// How many domains the table says it has; absent when even that is missing.
    #[serde(rename = "localities")]
    pub claimed: Option<u64>,
    /// The distances.
    #[serde(rename = "rows")]
    pub distances: ByteMatrix,
}

/// A square of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByteMatrix {
    size: usize,
    values: Vec<u8>,
}

impl ByteMatrix {
    /// The square of so many rows from an offset on; a fault and no rows where the table does not
    /// hold all of it, or not even the count.
    pub(super) fn read(table: &mut TableReader<'_>, at: usize, claimed: Option<u64>) -> Self {
        let Some(claimed) = claimed else {
            table.faults.add(COUNT_AT, FaultKind::CountBeyondTable, || {
                "the count of domains is missing".to_owned()
            });
            return Self { size: 0, values: Vec::new() };
        };
        let size = usize::try_from(claimed).ok();
        let needed = size.and_then(|size| size.checked_mul(size));
        let values = needed.and_then(|needed| table.bytes.slice(at, needed));
        if let (Some(size), Some(values)) = (size, values) {
            return Self { size, values: values.to_vec() };
        }
        let held = table.bytes.from(at).len();
        table.faults.add(at, FaultKind::CountBeyondTable, || {
            format!(
                "the table says it has {claimed} x {claimed} distances, and holds {held} bytes of \
                 them"
            )
        });
        Self { size: 0, values: Vec::new() }
    }

    /// How many rows and columns there are.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The rows, from top to bottom.
    pub fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.values.chunks_exact(self.size.max(1))
    }

    /// One value.
    pub fn get(&self, row: usize, column: usize) -> Option<u8> {
        if row >= self.size || column >= self.size {
            return None;
        }
        self.values.get(row * self.size + column).copied()
    }
}

impl Serialize for ByteMatrix {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.rows())
    }
}

impl Slit {
    pub(super) fn read(table: &mut TableReader<'_>) -> Self {
        let claimed = table.bytes.at(COUNT_AT);
        let distances = ByteMatrix::read(table, DISTANCES_AT, claimed);
        let held = DISTANCES_AT + distances.values.len();
        let left = table.bytes.from(held).len();
        if left > 0 && claimed == Some(distances.size as u64) {
            table
                .faults
                .add(held, FaultKind::LeftOver, || format!("{left} bytes follow the distances"));
        }
        Self { claimed, distances }
    }

    /// The distance that one domain's memory has for another domain.
    pub fn distance(&self, from: usize, to: usize) -> Option<u8> {
        self.distances.get(from, to)
    }
}
