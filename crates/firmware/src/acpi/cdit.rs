//! CDIT: AMD's old distance table, the companion of its CRAT. Linux uses neither for NUMA.

use serde::Serialize;

use super::TableReader;
use super::slit::ByteMatrix;

const COUNT_AT: usize = 36;
const DISTANCES_AT: usize = 40;

/// The distances between the domains of the CRAT.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Cdit {
    /// Number of domains that the table claims; `None` if the field is missing.
    #[serde(rename = "domains")]
    pub claimed: Option<u32>,
    /// The distances; 10 is local.
    #[serde(rename = "rows")]
    pub distances: ByteMatrix,
}

impl Cdit {
    pub(super) fn read(table: &mut TableReader<'_>) -> Self {
        let claimed: Option<u32> = table.bytes.at(COUNT_AT);
        let distances = ByteMatrix::read(table, DISTANCES_AT, claimed.map(u64::from));
        Self { claimed, distances }
    }
}
