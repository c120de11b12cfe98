//! What each factor costs: the node of the program, the node of its buffer, where interrupts run.

use nearfar_infer::{DesignCell, FactorEffect, FactorVerdict, SampleMatrix, factor_effects};
use nearfar_model::NodeId;
use serde::{Deserialize, Serialize};

use super::{PlacedAccess, PlacedCell, THRESHOLD};

/// What was varied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlacementFactor {
    /// The node of the CPU that asks.
    Program,
    /// The node of the memory that the device writes to or reads from.
    Buffer,
    /// The CPUs that serve the device's interrupts.
    Interrupts,
}

impl PlacementFactor {
    pub(in crate::document) const ALL: [Self; 3] = [Self::Program, Self::Buffer, Self::Interrupts];
}

/// The places of interrupts: the first is compared with.
pub(in crate::document) const INTERRUPT_PLACES: [&str; 2] = ["near", "far"];

/// The cost of one level of a factor against another level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PlacementEffect<A> {
    /// What is done.
    #[serde(flatten)]
    pub access: A,
    /// What was varied.
    pub factor: PlacementFactor,
    /// The node of program or buffer, or "near" and "far" of interrupts.
    pub level: String,
    /// The level that it is compared with: the device's node where it is known and was measured,
    /// else the first.
    pub reference: String,
    /// The ratio of times: above 1 the level is slower.
    pub ratio: f64,
    /// Its 95 % interval.
    pub ci95: [f64; 2],
    /// The probability that the difference is beyond 2 %.
    pub probability: f64,
    /// The decision: "slower", "faster", "same" (within 2 %) or "undetermined".
    pub verdict: FactorVerdict,
    /// Combinations of the other factors that it is a mean over.
    pub combinations: usize,
}

/// The effects on one kind of access, compared with the preferred node. Rows and columns of unknown
/// nodes are left out.
pub(super) fn effects<A: PlacedAccess>(
    samples: &SampleMatrix,
    cells: &[PlacedCell<'_, A>],
    access: &A,
    preferred: Option<NodeId>,
    seed: u64,
) -> Vec<PlacementEffect<A>> {
    let design = design(cells, access);
    let reference = |factor: PlacementFactor| {
        let levels = || design.iter().map(|cell| cell.levels[factor as usize]);
        let preferred = match factor {
            PlacementFactor::Interrupts => Some(0),
            PlacementFactor::Program | PlacementFactor::Buffer => preferred.map(|node| node.0),
        };
        preferred.filter(|node| levels().any(|level| level == *node)).or_else(|| levels().min())
    };
    let references: Option<Vec<u32>> = PlacementFactor::ALL.into_iter().map(reference).collect();
    let Some(references) = references else { return Vec::new() };
    factor_effects(samples, &design, &references, THRESHOLD, seed)
        .into_iter()
        .map(|effect| named(&effect, access))
        .collect()
}

/// The cells of one kind of access, with the level of each factor.
pub(in crate::document) fn design<A: PlacedAccess>(
    cells: &[PlacedCell<'_, A>],
    access: &A,
) -> Vec<DesignCell> {
    let is_of_access = |cell: &&PlacedCell<'_, A>| {
        !cell.access.is_control() && cell.access.without_interrupts() == *access
    };
    let design_cell = |cell: &PlacedCell<'_, A>| {
        let levels = vec![cell.program?.0, cell.buffer?.0, cell.access.interrupt_level()];
        Some(DesignCell { row: cell.row, column: cell.column, levels })
    };
    cells.iter().filter(is_of_access).filter_map(design_cell).collect()
}

fn named<A: PlacedAccess>(effect: &FactorEffect, access: &A) -> PlacementEffect<A> {
    let factor = PlacementFactor::ALL[effect.factor];
    let name = |level: u32| match factor {
        PlacementFactor::Interrupts => INTERRUPT_PLACES[usize::from(level > 0)].to_owned(),
        PlacementFactor::Program | PlacementFactor::Buffer => level.to_string(),
    };
    PlacementEffect {
        access: access.clone(),
        factor,
        level: name(effect.level),
        reference: name(effect.reference),
        ratio: effect.ratio,
        ci95: effect.ci95,
        probability: effect.probability,
        verdict: effect.verdict,
        combinations: effect.combinations,
    }
}
