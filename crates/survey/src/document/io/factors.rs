//! What each factor costs: the node of the program, the node of its buffer, where interrupts run.

use nearfar_infer::{DesignCell, FactorEffect, FactorVerdict, SampleMatrix, factor_effects};
use nearfar_model::NodeId;
use serde::{Deserialize, Serialize};

use super::IoTargetFacts;
use super::treatments::{INTERRUPT_PLACES, IoAccess};

/// The smallest effect that counts.
pub(super) const THRESHOLD: f64 = 0.02;

/// What was varied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum IoFactor {
    /// The node of the CPU that asks.
    Program,
    /// The node of the memory that the disk writes to or reads from.
    Buffer,
    /// The CPUs that serve the disk's interrupts.
    Interrupts,
}

const FACTORS: [IoFactor; 3] = [IoFactor::Program, IoFactor::Buffer, IoFactor::Interrupts];

/// The cost of one level of a factor against another level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IoFactorEffect {
    /// The accesses.
    #[serde(flatten)]
    pub access: IoAccess,
    /// What was varied.
    pub factor: IoFactor,
    /// The node of program or buffer, or "near" and "far" of interrupts.
    pub level: String,
    /// The level that it is compared with: the disk's node where it is known and was measured, else
    /// the first.
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

/// The best placement, as far as factors matter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IoBest {
    /// The accesses.
    #[serde(flatten)]
    pub access: IoAccess,
    /// The node for the program; null where it makes no difference, or is undetermined.
    pub program_node: Option<String>,
    /// The node for buffers, likewise.
    pub buffer_node: Option<String>,
    /// "near" or "far", likewise.
    pub interrupt_place: Option<String>,
    /// The command that places a program so; null where placing it changes nothing.
    pub run_by: Option<String>,
}

/// A cell of a table for this purpose.
pub(super) struct FactorCell<'c> {
    pub(super) row: usize,
    /// The column of the samples' matrix.
    pub(super) column: usize,
    pub(super) program: Option<NodeId>,
    pub(super) buffer: Option<NodeId>,
    pub(super) access: &'c IoAccess,
}

/// The effects on one kind of access to one target. Rows and columns of unknown nodes are left out.
pub(super) fn effects(
    samples: &SampleMatrix,
    cells: &[FactorCell<'_>],
    access: &IoAccess,
    target: Option<&IoTargetFacts>,
    seed: u64,
) -> Vec<IoFactorEffect> {
    let is_of_access = |cell: &&FactorCell<'_>| {
        !cell.access.is_control() && cell.access.without_interrupts() == *access
    };
    let design: Vec<DesignCell> = cells
        .iter()
        .filter(is_of_access)
        .filter_map(|cell| {
            let levels = vec![cell.program?.0, cell.buffer?.0, interrupt_level(cell.access)];
            Some(DesignCell { row: cell.row, column: cell.column, levels })
        })
        .collect();
    let node = target.and_then(|target| target.node).map(|node| node.0);
    let reference = |factor: usize| {
        let levels = || design.iter().map(|cell| cell.levels[factor]);
        let preferred = if FACTORS[factor] == IoFactor::Interrupts { Some(0) } else { node };
        preferred.filter(|node| levels().any(|level| level == *node)).or_else(|| levels().min())
    };
    let references: Option<Vec<u32>> = (0..FACTORS.len()).map(reference).collect();
    let Some(references) = references else { return Vec::new() };
    factor_effects(samples, &design, &references, THRESHOLD, seed)
        .into_iter()
        .map(|effect| named(&effect, access))
        .collect()
}

/// Interrupts that were left alone have the level of those that are near: they are never compared.
fn interrupt_level(access: &IoAccess) -> u32 {
    let place = access.interrupts.as_deref();
    u32::from(place == Some(INTERRUPT_PLACES[1]))
}

fn named(effect: &FactorEffect, access: &IoAccess) -> IoFactorEffect {
    let factor = FACTORS[effect.factor];
    let name = |level: u32| match factor {
        IoFactor::Interrupts => INTERRUPT_PLACES[usize::from(level > 0)].to_owned(),
        IoFactor::Program | IoFactor::Buffer => level.to_string(),
    };
    IoFactorEffect {
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

impl IoBest {
    /// The placement that these effects on one kind of access suggest.
    pub(super) fn new(effects: &[IoFactorEffect], access: &IoAccess) -> Self {
        let best = |factor: IoFactor| {
            let of_factor = || {
                effects
                    .iter()
                    .filter(move |effect| effect.factor == factor && effect.access == *access)
            };
            let faster = of_factor()
                .filter(|effect| effect.verdict == FactorVerdict::Faster)
                .min_by(|a, b| a.ratio.total_cmp(&b.ratio))
                .map(|effect| &effect.level);
            let is_slower = |effect: &&IoFactorEffect| effect.verdict == FactorVerdict::Slower;
            let reference = || of_factor().find(is_slower).map(|effect| &effect.reference);
            faster.or_else(reference).cloned()
        };
        let [program_node, buffer_node, interrupt_place] = FACTORS.map(best);
        let options: Vec<String> = [("--cpunodebind", &program_node), ("--membind", &buffer_node)]
            .into_iter()
            .filter_map(|(option, node)| Some(format!("{option} {}", node.as_ref()?)))
            .collect();
        let run_by =
            (!options.is_empty()).then(|| format!("nearfar run {} -- PROGRAM", options.join(" ")));
        Self { access: access.clone(), program_node, buffer_node, interrupt_place, run_by }
    }
}
