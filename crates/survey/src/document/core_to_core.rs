//! How far CPUs are from each other, and which CPUs share caches and packages.

use std::collections::{BTreeMap, BTreeSet};

use nearfar_infer::InferError;
use nearfar_infer::core_to_core::{
    ClaimContradiction, CostClass, CpuGroup, CpuStructure, GroupKind, PairsReason,
};
use nearfar_model::{CellIndex, CpuId, CpuSet, Instrument, PlaceLabel};
use nearfar_probe::PlanOutcome;
use nearfar_probe::core_to_core::{self, PairSetup};
use serde::{Deserialize, Serialize};

use super::instrument_part::InstrumentPart;
use crate::figures::DisturbedPlaces;
use crate::{
    InstrumentTable, Matrix, MatrixCell, MatrixColumn, MatrixRow, Samples, Treatment,
    TreatmentMatrix,
};

/// The figures of one instrument: nanoseconds of one way, by pair of CPUs, exchange and home.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CoreToCore {
    /// The figures of those pairs that were measured. Rows are the first CPUs, which read; columns
    /// the second ones, which wrote.
    #[serde(flatten)]
    pub part: TreatmentMatrix<ExchangeTreatment>,
    /// Who shares what, by these costs.
    pub structure: FoundStructure,
    /// Where the machine's own claims do not hold.
    pub contradictions: Vec<Misclaimed>,
    /// What pairs cost by what they share, nearest first.
    pub classes: Vec<CostClass>,
    /// Pairs that have a cost.
    pub measured_pairs: usize,
    /// Pairs that there are.
    pub all_pairs: usize,
    /// Pairs drawn at random that were compared with what the structure predicts.
    pub checks: usize,
    /// Of all pairs, fewer than this share cost otherwise than predicted (95 %). Null where
    /// nothing was checked.
    pub wrong_pairs_below: Option<f64>,
    /// Why pairs have no cost, and how often.
    pub not_measured: BTreeMap<String, usize>,
    /// What costs cannot decide.
    #[serde(rename = "cannot_tell")]
    pub undetermined: Vec<PairsReason>,
}

/// What a pair was visited with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(rename = "Exchanging")]
pub struct ExchangeTreatment {
    /// "handoff" (compare-and-swap to and fro; half a round trip), or a load of a line that the
    /// second CPU holds: "modified", "clean".
    pub state: String,
    /// Whose memory the line is: that of the "writer" (the second CPU), of the "reader" (the
    /// first), of a "third" node, or "any".
    pub home: String,
}

/// Who shares what.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FoundStructure {
    /// CPUs of one package. Empty where costs cannot decide.
    pub packages: Vec<FoundGroup>,
    /// CPUs of one last-level cache. Empty where costs cannot decide.
    pub cache_groups: Vec<FoundGroup>,
    /// CPUs of one core, where a core has several.
    pub smt_pairs: Vec<FoundGroup>,
}

/// CPUs that belong together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FoundGroup {
    /// The CPUs, in list form.
    #[schemars(with = "String")]
    pub cpus: CpuSet,
    /// Of the measured pairs that bear on it, the share that costs what it should.
    pub support: f64,
}

/// CPUs in another group than claimed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Misclaimed {
    /// "core", "cache group" or "package".
    pub shares: GroupKind,
    /// The CPUs.
    #[schemars(with = "String")]
    pub cpus: CpuSet,
    /// CPUs that share it as claimed, including these.
    #[schemars(with = "String")]
    pub claimed: CpuSet,
    /// CPUs that share it as measured, including these.
    #[schemars(with = "String")]
    pub found: CpuSet,
}

/// The largest number of cells with intervals: the bootstrap of more is too slow, and pairs of
/// large machines have three samples.
const MAX_WITH_INTERVALS: usize = 2_000;

impl InstrumentPart for CoreToCore {
    fn judge(&mut self, _: usize, seed: u64) -> Result<(), InferError> {
        let places = self.part.places();
        let TreatmentMatrix { matrix, samples, .. } = &mut self.part;
        if let Some(samples) = samples {
            if places.len() <= MAX_WITH_INTERVALS {
                // All cells as one row: drift is the machine's, and most pairs were never
                // measured.
                let estimates = nearfar_infer::estimates(&samples.in_one_row(&places)?, seed);
                for (cell, estimate) in matrix.cells.iter_mut().zip(&estimates[0]) {
                    cell.take(estimate.as_ref());
                }
            } else {
                let costs = samples.values(&places);
                for (number, cell) in matrix.cells.iter_mut().enumerate() {
                    cell.take_costs(costs.get(&number).map_or(&[], Vec::as_slice));
                }
            }
        }
        // What the exploration gave up may have been measured with other exchanges afterwards.
        self.measured_pairs = self.measured_pairs.max(self.pairs_with_a_figure());
        Ok(())
    }

    fn strip_samples(&mut self) {
        self.part.samples = None;
    }

    fn tables(&self) -> Vec<InstrumentTable<'_>> {
        // An exploration takes few samples of a pair on purpose, and again what it doubts.
        let explored = self.part.treatments.first();
        vec![self.part.table(move |cell| Some(&cell.treatment) != explored)]
    }
}

impl CoreToCore {
    /// The part before its figures: from the exploration's samples, then from those of the factors.
    pub fn new(setup: &PairSetup, outcome: &PlanOutcome, found: &CpuStructure) -> Self {
        let set = |indexes: &[usize]| -> CpuSet {
            indexes.iter().map(|&index| setup.cpus[index]).collect()
        };
        Self {
            part: TreatmentMatrix {
                matrix: matrix(setup, outcome),
                treatments: setup
                    .treatments
                    .iter()
                    .map(ExchangeTreatment::from_treatment)
                    .collect(),
                samples: Some(Samples::from_outcome(outcome)),
            },
            structure: FoundStructure::new(
                [&found.packages, &found.cache_groups, &found.smt_pairs],
                set,
            ),
            contradictions: found
                .contradictions_of_claim
                .iter()
                .map(|one| Misclaimed::new(one, set))
                .collect(),
            classes: found.classes.clone(),
            measured_pairs: found.measured_pairs,
            all_pairs: found.all_pairs,
            checks: found.checks,
            wrong_pairs_below: found.wrong_pairs_below,
            not_measured: found.not_measured.clone(),
            undetermined: found.refused.iter().chain(&found.undetermined).cloned().collect(),
        }
    }

    fn pairs_with_a_figure(&self) -> usize {
        let measured = self.part.matrix.cells.iter().filter(|cell| cell.median.is_some());
        let pairs = measured.map(|cell| (cell.row.min(cell.column), cell.row.max(cell.column)));
        pairs.collect::<BTreeSet<_>>().len()
    }
}

impl FoundStructure {
    /// Of packages, groups of one cache and cores. `set` gives the CPUs that inference knows by
    /// indexes.
    pub(crate) fn new(groups: [&[CpuGroup]; 3], set: impl Fn(&[usize]) -> CpuSet) -> Self {
        let found =
            |group: &CpuGroup| FoundGroup { cpus: set(&group.cpus), support: group.support };
        let [packages, cache_groups, smt_pairs] =
            groups.map(|groups| groups.iter().map(found).collect());
        Self { packages, cache_groups, smt_pairs }
    }
}

impl Misclaimed {
    /// `set` gives the CPUs that inference knows by indexes.
    pub(crate) fn new(one: &ClaimContradiction, set: impl Fn(&[usize]) -> CpuSet) -> Self {
        Self {
            shares: one.kind,
            cpus: set(&one.cpus),
            claimed: set(&one.claimed),
            found: set(&one.found),
        }
    }
}

impl Treatment for ExchangeTreatment {
    const INSTRUMENT: Instrument = Instrument::CoreToCore;
}

impl ExchangeTreatment {
    fn from_treatment(treatment: &core_to_core::PairTreatment) -> Self {
        Self { state: treatment.exchange.name().to_owned(), home: treatment.home.name().to_owned() }
    }
}

/// The pairs that anybody tried, before their figures.
fn matrix(setup: &PairSetup, outcome: &PlanOutcome) -> Matrix<ExchangeTreatment> {
    let disturbed = DisturbedPlaces::new(outcome, ExchangeTreatment::UNIT);
    let samples = outcome.samples.iter().map(|sample| sample.place);
    let tried: BTreeSet<CellIndex> = samples.chain(disturbed.places()).collect();
    let label = |cpu: &CpuId| PlaceLabel::Cpu(*cpu).to_string();
    let row = |cpu: &CpuId| MatrixRow {
        label: label(cpu),
        cpus: CpuSet::from_id(*cpu),
        node: None,
        ghz: None,
        drift: None,
    };
    let column =
        |cpu: &CpuId| MatrixColumn { label: label(cpu), node: None, pages: 0, backing: None };
    Matrix {
        probe: ExchangeTreatment::INSTRUMENT.name().to_owned(),
        unit: ExchangeTreatment::UNIT,
        rows: setup.cpus.iter().map(row).collect(),
        columns: setup.cpus.iter().map(column).collect(),
        cells: tried.into_iter().map(|place| cell(setup, outcome, &disturbed, place)).collect(),
    }
}

fn cell(
    setup: &PairSetup,
    outcome: &PlanOutcome,
    disturbed: &DisturbedPlaces,
    place: CellIndex,
) -> MatrixCell<ExchangeTreatment> {
    let CellIndex { row, column, treatment } = place;
    MatrixCell {
        row,
        column,
        cpus: [setup.cpus[row], setup.cpus[column]].into_iter().collect(),
        treatment: ExchangeTreatment::from_treatment(&setup.treatments[treatment]),
        dropped: disturbed.dropped(place),
        rough: disturbed.rough(outcome, place),
        why: outcome.why_not(place).cloned(),
        ..MatrixCell::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No table shows a figure of a pair that "0 of 1 pairs measured" denies.
    #[test]
    fn pairs_with_a_figure_are_measured() {
        let text = include_str!("../../../../docs/gallery/documents/this-machine.json");
        let mut pairs = serde_json::from_str::<crate::Survey>(text).unwrap().core_to_core.unwrap();
        assert_eq!(pairs.part.matrix.cells.len(), 3);
        pairs.measured_pairs = 0;
        pairs.judge(0, 1).unwrap();
        assert_eq!((pairs.measured_pairs, pairs.all_pairs), (1, 1));
    }
}
