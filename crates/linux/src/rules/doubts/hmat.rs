//! Latencies and bandwidths that no memory has: numbers that firmware meant in another unit.

use nearfar_firmware::TableFile;
use nearfar_firmware::acpi::{Decoded, Entry, Hmat, HmatStructure, Locality, LocalityData};

use super::super::draft::Draft;
use super::super::evidence::evidence;
use super::doubt;
use crate::circumstances::Circumstances;

/// Memory answers in this time: from the nearest to the farthest behind CXL switches.
const LATENCY_NS: std::ops::RangeInclusive<u32> = 10..=3_000;
/// A node's memory delivers this: from one old channel to stacked memory.
const BANDWIDTH_MB_PER_S: std::ops::RangeInclusive<u32> = 2_000..=20_000_000;

pub(super) fn doubts(circumstances: &Circumstances<'_>, draft: &mut Draft) {
    let Some((file, hmat)) = circumstances.firmware.first::<Hmat>() else { return };
    for entry in &hmat.content.entries {
        let Some(HmatStructure::Locality(locality)) = entry.known() else { continue };
        if let Some((row, column, value)) = implausible(locality) {
            say(file, hmat, entry, locality, (row, column, value), draft);
            return;
        }
    }
}

/// The first value that no memory has.
fn implausible(locality: &Locality) -> Option<(usize, usize, u32)> {
    let plausible = match locality.data() {
        LocalityData::Unknown => return None,
        data if data.is_latency() => LATENCY_NS,
        _ => BANDWIDTH_MB_PER_S,
    };
    let cells =
        (0..locality.initiators.len()).flat_map(|row| (0..locality.targets.len()).map(move |column| (row, column)));
    cells
        .filter_map(|(row, column)| Some((row, column, locality.value(row, column)?)))
        .find(|(_, _, value)| !plausible.contains(value))
}

fn say(
    file: &TableFile,
    hmat: &Decoded<Hmat>,
    entry: &Entry<HmatStructure>,
    locality: &Locality,
    (row, column, value): (usize, usize, u32),
    draft: &mut Draft,
) {
    let revision = hmat.header.revision;
    let unit = if locality.data().is_latency() { "ns" } else { "MB/s" };
    let (from, to) = (locality.initiators[row], locality.targets[column]);
    let mut what = format!(
        "by the units of revision {revision}, the HMAT says {value} {unit} from domain {from} to memory of domain {to}, \
         which no memory has"
    );
    if revision == 1 {
        what.push_str(": firmware likely meant the units of revision 2, or others");
    }
    let code = if revision == 1 { "hmat-revision-1-units" } else { "hmat-implausible" };
    draft.doubt(doubt(code, what, [evidence(file, entry.offset, entry.length as usize)]));
}
