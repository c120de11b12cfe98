//! The SLIT: used if its diagonal is 10 and everything else more, else ignored.
//!
//! Source: `slit_valid` and `acpi_parse_slit` in drivers/acpi/numa/srat.c. Domains that are not in
//! the SRAT are ignored.

use nearfar_model::ProximityDomain;

use super::PredictionDraft;
use super::distances::{ClaimedDistances, DistancePairs};
use super::evidence::{bare, doubt, evidence};
use super::srat_reader::SratContents;
use crate::acpi::{Decoded, Slit};
use crate::linux::prediction_input::PredictionInput;
use crate::linux::{CauseEffect, KernelCause, KernelDoubt};
use crate::{ReadState, TableFile};

const SOURCE: &str = "drivers/acpi/numa/srat.c: slit_valid";
const DISTANCES_AT: usize = 44;
const LOCAL: u8 = 10;

pub(super) fn read(
    input: &PredictionInput<'_>,
    reading: &SratContents,
    draft: &mut PredictionDraft,
) -> ClaimedDistances {
    let Some((file, slit)) = input.firmware.first::<Slit>() else {
        let denied = input
            .firmware
            .tables
            .iter()
            .any(|file| file.name == "SLIT" && file.state == ReadState::Denied);
        if denied {
            draft.undecided("the distances: the SLIT exists and is not readable");
        }
        return (!denied).then(DistancePairs::new);
    };
    let size = slit.content.distances.size();
    if slit.content.claimed.is_none_or(|claimed| claimed != size as u64) {
        draft.undecided(
            "the distances: the SLIT is shorter than it claims, and the kernel reads beyond it",
        );
        let what = "the SLIT claims more distances than it has; the kernel does not check this and \
                    reads beyond its end";
        draft.doubt([doubt("slit-cut-short", what, [evidence(file, 36, 8)])]);
        return None;
    }
    match invalid_distance(&slit.content) {
        Some((row, column, value)) => {
            draft.cause(refusal(file, slit, row, column, value));
            Some(DistancePairs::new())
        }
        None => Some(pairs(reading, slit)),
    }
}

/// The first distance for which the kernel rejects a SLIT: row, column, value.
pub(crate) fn invalid_distance(slit: &Slit) -> Option<(usize, usize, u8)> {
    // The kernel reads beyond the end of one that is cut short.
    if slit.claimed.is_none_or(|claimed| claimed != slit.distances.size() as u64) {
        return None;
    }
    slit.distances.rows().enumerate().find_map(|(row, line)| {
        let wrong =
            |column: usize, value: u8| if row == column { value != LOCAL } else { value <= LOCAL };
        let (column, value) =
            line.iter().enumerate().find(|(column, value)| wrong(*column, **value))?;
        Some((row, column, *value))
    })
}

/// "entry 0,0 is 11, not 10".
pub(crate) fn rejected_entry(row: usize, column: usize, value: u8) -> String {
    let wanted = if row == column { "not 10" } else { "and must be more than 10" };
    format!("entry {row},{column} is {value}, {wanted}")
}

/// The same for a SLIT without a SRAT: the kernel checks it nevertheless.
pub(super) fn doubt_alone(input: &PredictionInput<'_>) -> Option<KernelDoubt> {
    let (file, slit) = input.firmware.first::<Slit>()?;
    let (row, column, value) = invalid_distance(&slit.content)?;
    let cause = refusal(file, slit, row, column, value);
    Some(doubt(cause.code, cause.what, cause.evidence))
}

fn refusal(
    file: &TableFile,
    slit: &Decoded<Slit>,
    row: usize,
    column: usize,
    value: u8,
) -> KernelCause {
    let size = slit.content.distances.size();
    let all_local =
        slit.content.distances.rows().all(|line| line.iter().all(|&value| value == LOCAL));
    let what = if all_local && size > 1 {
        "Linux rejects the SLIT: every distance is 10, as if all memory were local".to_owned()
    } else {
        format!("Linux rejects the SLIT: {}", rejected_entry(row, column, value))
    };
    let offset = DISTANCES_AT + row * size + column;
    let cause = bare("slit-invalid", CauseEffect::Distances, what, SOURCE)
        .with_message("ACPI: SLIT table looks invalid. Not used.");
    cause.with_evidence([evidence(file, offset, 1), evidence(file, DISTANCES_AT, size * size)])
}

/// The distances of domains that have a node.
fn pairs(reading: &SratContents, slit: &Decoded<Slit>) -> DistancePairs {
    let node = |index: usize| reading.domains.node(ProximityDomain(u32::try_from(index).ok()?));
    let named: Vec<_> = (0..slit.content.distances.size())
        .filter_map(|index| Some((index, node(index)?)))
        .collect();
    let mut pairs = DistancePairs::new();
    for &(row, from) in &named {
        for &(column, to) in &named {
            if let Some(value) = slit.content.distance(row, column) {
                pairs.insert((from, to), value.into());
            }
        }
    }
    pairs
}
