//! Implausible latencies and bandwidths: firmware likely used another unit.

use crate::acpi::{Hmat, HmatStructure, Locality, LocalityData};

use super::super::evidence::{doubt, entry_bytes};
use crate::linux::cause::KernelDoubt;
use crate::linux::prediction_input::PredictionInput;

/// Plausible latencies: from local memory to CXL memory behind switches.
const LATENCY_NS: std::ops::RangeInclusive<u32> = 10..=3_000;
/// Plausible bandwidths of a node: from one old channel to HBM.
const BANDWIDTH_MB_PER_S: std::ops::RangeInclusive<u32> = 2_000..=20_000_000;

/// A doubt about the first implausible value.
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
        1 => ("hmat-revision-1-units", ": firmware likely used the units of revision 2, or others"),
        _ => ("hmat-implausible", ""),
    };
    let what = format!(
        "in the units of revision {revision}, the HMAT has {value} {unit} from domain {from} to \
         memory of domain {to}, which is implausible{meant}"
    );
    Some(doubt(code, what, [entry_bytes(file, entry)]))
}

/// The first implausible value.
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
