//! SLIT: relative distances between domains as firmware claims them; local memory is 10. Layout:
//! ACPI 6.6, section 5.2.17.

use serde::{Serialize, Serializer};

use super::TableReader;
use crate::fault::FaultKind;

/// Offsets of the number of domains (also in the CDIT) and of the distances.
const COUNT_AT: usize = 36;
const DISTANCES_AT: usize = 44;

/// The distances between proximity domains. Rows and columns are domain numbers, not the kernel's
/// nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Slit {
    /// Number of domains that the table claims; `None` if the field is missing.
    #[serde(rename = "localities")]
    pub claimed: Option<u64>,
    /// The distances.
    #[serde(rename = "rows")]
    pub distances: ByteMatrix,
}

/// A square matrix of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByteMatrix {
    size: usize,
    values: Vec<u8>,
}

impl ByteMatrix {
    /// Reads a square matrix of `claimed` rows. Adds a fault and returns no rows if the table is
    /// too short.
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
                "the table claims {claimed} x {claimed} distances, and has {held} bytes of them"
            )
        });
        Self { size: 0, values: Vec::new() }
    }

    /// Number of rows and columns.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The rows, from top to bottom.
    pub fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.values.chunks_exact(self.size.max(1))
    }

    /// The value in a row and a column; `None` out of range.
    pub fn get(&self, row: usize, column: usize) -> Option<u8> {
        if row >= self.size || column >= self.size {
            return None;
        }
        self.values.get(row * self.size + column).copied()
    }
}

nearfar_model::schema_as!(ByteMatrix: Vec<Vec<u8>>);

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

    /// The distance from one domain to another domain's memory; 10 is local, `None` out of range.
    ///
    /// # References
    ///
    /// ACPI 6.6, section 5.2.17; drivers/acpi/numa/srat.c: acpi_parse_slit
    pub fn distance(&self, from: usize, to: usize) -> Option<u8> {
        self.distances.get(from, to)
    }
}
