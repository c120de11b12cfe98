//! Latencies and bandwidths that no memory has: numbers that firmware meant in another unit.

use nearfar_firmware::acpi::{Hmat, HmatStructure, Locality, LocalityData};

use super::super::evidence::{doubt, entry_bytes};
use crate::cause::KernelDoubt;
use crate::prediction_input::PredictionInput;

/// Memory answers in this time: from the nearest to the farthest behind CXL switches.
const LATENCY_NS: std::ops::RangeInclusive<u32> = 10..=3_000;
/// A node's memory delivers this: from one old channel to stacked memory.
const BANDWIDTH_MB_PER_S: std::ops::RangeInclusive<u32> = 2_000..=20_000_000;

/// About the first value that no memory has.
pub(super) fn doubt_of_units(input: &PredictionInput<'_>) -> Option<KernelDoubt> {
    let (file, hmat) = input.firmware.first::<Hmat>()?;
    let (entry, locality, (row, column, value)) =
        hmat.content.entries.iter().find_map(|entry| match entry.known()? {
            HmatStructure::Locality(locality) => Some((entry, locality, implausible(locality)?)),
            _ => None,
        })?;
    let revision = hmat.header.revision;
    let unit = if locality.data().is_latency() { "ns" } else { "MB/s" };
    let (from, to) = (locality.initiators[row], locality.targets[column]);
    let (code, meant) = match revision {
        1 => {
            ("hmat-revision-1-units", ": firmware likely meant the units of revision 2, or others")
        }
        _ => ("hmat-implausible", ""),
    };
    let what = format!(
        "by the units of revision {revision}, the HMAT says {value} {unit} from domain {from} to \
         memory of domain {to}, which no memory has{meant}"
    );
    Some(doubt(code, what, [entry_bytes(file, entry)]))
}

/// The first value that no memory has.
fn implausible(locality: &Locality) -> Option<(usize, usize, u32)> {
    let plausible = match locality.data() {
        LocalityData::Unknown => return None,
        data if data.is_latency() => LATENCY_NS,
        _ => BANDWIDTH_MB_PER_S,
    };
    let cells = (0..locality.initiators.len())
        .flat_map(|row| (0..locality.targets.len()).map(move |column| (row, column)));
    cells
        .filter_map(|(row, column)| Some((row, column, locality.value(row, column)?)))
        .find(|(_, _, value)| !plausible.contains(value))
}
