//! One matrix of the HMAT: raw entries, and the values that Linux computes from them.
//!
//! A raw entry is multiplied by the matrix's base unit. The unit of the product depends on the
//! revision: tenths of a nanosecond or of a MB/s in revision 1, picoseconds and MB/s in revision 2.
//! Firmware that mixes the two up is wrong by a factor of 10 or 100, and nothing detects it.

use nearfar_model::ProximityDomain;
use serde::{Serialize, Serializer};

use crate::byte_view::ByteView;

const LISTS_AT: usize = 32;

/// Type 1: a matrix of latencies or bandwidths, from initiators (rows) to memory (columns).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locality {
    /// The table's revision, which decides the units.
    pub revision: u8,
    /// The raw flags.
    pub flags: u8,
    /// Hierarchy: 0 memory, 1 to 3 the memory-side cache of that level.
    pub hierarchy: u8,
    /// The raw data type; see [`data`](Self::data).
    pub data_type: u8,
    /// The raw factor of all entries.
    pub base_unit: u64,
    /// The domains of the rows.
    pub initiators: Vec<ProximityDomain>,
    /// The domains of the columns.
    pub targets: Vec<ProximityDomain>,
    raw: Vec<u16>,
}

/// The quantity in a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LocalityData {
    /// Latency of reads and writes.
    AccessLatency,
    /// Latency of reads.
    ReadLatency,
    /// Latency of writes.
    WriteLatency,
    /// Bandwidth of reads and writes.
    AccessBandwidth,
    /// Bandwidth of reads.
    ReadBandwidth,
    /// Bandwidth of writes.
    WriteBandwidth,
    /// A type that the specification does not define.
    Unknown,
}

impl LocalityData {
    /// Whether the entries are latencies.
    pub fn is_latency(self) -> bool {
        matches!(self, Self::AccessLatency | Self::ReadLatency | Self::WriteLatency)
    }
}

impl Locality {
    /// The quantity in the matrix.
    ///
    /// # References
    ///
    /// ACPI 6.6, section 5.2.28.4
    pub fn data(&self) -> LocalityData {
        match self.data_type {
            0 => LocalityData::AccessLatency,
            1 => LocalityData::ReadLatency,
            2 => LocalityData::WriteLatency,
            3 => LocalityData::AccessBandwidth,
            4 => LocalityData::ReadBandwidth,
            5 => LocalityData::WriteBandwidth,
            _ => LocalityData::Unknown,
        }
    }

    /// A raw entry, by index of row and column (not by domain). `None` out of range.
    pub fn raw(&self, row: usize, column: usize) -> Option<u16> {
        if row >= self.initiators.len() || column >= self.targets.len() {
            return None;
        }
        self.raw.get(row * self.targets.len() + column).copied()
    }

    /// The value that Linux computes, in ns or MB/s. `None` for "not reported" (0, 0xffff), for
    /// products of more than 32 bits, and for products below 10 in revision 1.
    ///
    /// # References
    ///
    /// drivers/acpi/numa/hmat.c: hmat_normalize (the same in Linux 5.2 to 7.x)
    pub fn value(&self, row: usize, column: usize) -> Option<u32> {
        normalize(self.raw(row, column)?, self.base_unit, self.revision, self.data().is_latency())
    }

    /// The raw rows, one per initiator.
    pub fn rows(&self) -> impl Iterator<Item = &[u16]> {
        self.raw.chunks_exact(self.targets.len().max(1))
    }
}

/// Linux's `hmat_normalize`.
fn normalize(entry: u16, base: u64, revision: u8, latency: bool) -> Option<u32> {
    if entry == 0 || entry == u16::MAX {
        return None;
    }
    let product = u32::try_from(base).ok()?.checked_mul(entry.into())?;
    let value = match (revision, latency) {
        (1, _) if product < 10 => 0,
        (1, _) => product.div_ceil(10),
        (2, true) => product.div_ceil(1000),
        _ => product,
    };
    Some(value).filter(|&value| value > 0)
}

pub(super) fn read(entry: ByteView<'_>, revision: u8) -> Option<Locality> {
    let (rows, columns) = (entry.at::<u32>(12)? as usize, entry.at::<u32>(16)? as usize);
    let targets_at = LISTS_AT.checked_add(rows.checked_mul(4)?)?;
    let entries_at = targets_at.checked_add(columns.checked_mul(4)?)?;
    let flags: u8 = entry.at(8)?;
    let cells = rows.checked_mul(columns)?;
    // All lengths are checked before anything is allocated.
    entry.slice(entries_at, cells.checked_mul(2)?)?;
    Some(Locality {
        revision,
        flags,
        hierarchy: flags & 0xf,
        data_type: entry.at(9)?,
        base_unit: entry.at(24)?,
        initiators: entry.list(LISTS_AT, rows)?,
        targets: entry.list(targets_at, columns)?,
        raw: entry.list(entries_at, cells)?,
    })
}

/// A matrix, as documents hold it. Rows are initiators, columns targets.
#[derive(Serialize, schemars::JsonSchema)]
struct WrittenLocality<'a> {
    /// The raw flags.
    flags: u8,
    /// Hierarchy: 0 memory, 1 to 3 the memory-side cache of that level.
    hierarchy: u8,
    /// The raw data type.
    data_type: u8,
    /// The quantity.
    data: LocalityData,
    /// The raw factor of all entries.
    base_unit: u64,
    /// Proximity domains of the rows.
    initiators: &'a [ProximityDomain],
    /// Proximity domains of the columns.
    targets: &'a [ProximityDomain],
    /// Entries as written.
    raw: Vec<&'a [u16]>,
    /// Latencies as Linux reads them; null where nothing is claimed.
    #[serde(skip_serializing_if = "Option::is_none")]
    latency_ns: Option<Vec<Vec<Option<u64>>>>,
    /// Bandwidths as Linux reads them; null where nothing is claimed.
    #[serde(skip_serializing_if = "Option::is_none")]
    bandwidth_bytes_per_s: Option<Vec<Vec<Option<u64>>>>,
}

nearfar_model::schema_as!(Locality: WrittenLocality<'static>);

impl Serialize for Locality {
    /// The raw rows, and the values in `latency_ns` or `bandwidth_bytes_per_s` (a MB is 10^6
    /// bytes).
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rows: Vec<&[u16]> = self.rows().collect();
        let scale = if self.data().is_latency() { 1 } else { 1_000_000 };
        let value = |row, column| self.value(row, column).map(|value| u64::from(value) * scale);
        let values: Vec<Vec<Option<u64>>> = (0..self.initiators.len())
            .map(|row| (0..self.targets.len()).map(|column| value(row, column)).collect())
            .collect();
        let (latency_ns, bandwidth_bytes_per_s) = match self.data() {
            LocalityData::Unknown => (None, None),
            data if data.is_latency() => (Some(values), None),
            _ => (None, Some(values)),
        };
        WrittenLocality {
            flags: self.flags,
            hierarchy: self.hierarchy,
            data_type: self.data_type,
            data: self.data(),
            base_unit: self.base_unit,
            initiators: &self.initiators,
            targets: &self.targets,
            raw: rows,
            latency_ns,
            bandwidth_bytes_per_s,
        }
        .serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::normalize;

    #[test]
    fn revision_1_counts_tenths() {
        assert_eq!(normalize(10, 1000, 1, true), Some(1000));
        assert_eq!(normalize(11, 1, 1, true), Some(2));
        assert_eq!(normalize(11, 1, 1, false), Some(2));
        assert_eq!(normalize(9, 1, 1, true), None);
    }

    #[test]
    fn revision_2_counts_picoseconds_and_megabytes() {
        assert_eq!(normalize(10, 10_000, 2, true), Some(100));
        assert_eq!(normalize(1, 1, 2, true), Some(1));
        assert_eq!(normalize(200, 4, 2, false), Some(800));
    }

    #[test]
    fn unreported_and_overflowing_entries_have_no_value() {
        assert_eq!((normalize(0, 1, 2, true), normalize(0xffff, 1, 2, true)), (None, None));
        assert_eq!(normalize(2, 0x8000_0000, 2, false), None);
        assert_eq!(normalize(1, 0xffff_ffff, 2, false), Some(u32::MAX));
        assert_eq!(normalize(1, u64::MAX, 2, false), None);
        assert_eq!(normalize(1, 0, 2, false), None);
    }
}
