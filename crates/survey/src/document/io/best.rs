//! The best placement, as far as factors matter.

use nearfar_infer::FactorVerdict;
use serde::{Deserialize, Serialize};

use super::super::placement::{PlacementEffect, PlacementFactor};
use super::treatments::IoAccess;

/// The best placement, as far as factors matter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
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

impl IoBest {
    /// The placement that these effects on one kind of access suggest.
    pub(super) fn new(effects: &[PlacementEffect<IoAccess>], access: &IoAccess) -> Self {
        let best = |factor: PlacementFactor| {
            let of_factor = || {
                effects
                    .iter()
                    .filter(move |effect| effect.factor == factor && effect.access == *access)
            };
            let faster = of_factor()
                .filter(|effect| effect.verdict == FactorVerdict::Faster)
                .min_by(|a, b| a.ratio.total_cmp(&b.ratio))
                .map(|effect| &effect.level);
            let is_slower =
                |effect: &&PlacementEffect<IoAccess>| effect.verdict == FactorVerdict::Slower;
            faster.or_else(|| of_factor().find(is_slower).map(|effect| &effect.reference)).cloned()
        };
        let [program_node, buffer_node, interrupt_place] = PlacementFactor::ALL.map(best);
        let options: Vec<String> = [("--cpunodebind", &program_node), ("--membind", &buffer_node)]
            .into_iter()
            .filter_map(|(option, node)| Some(format!("{option} {}", node.as_ref()?)))
            .collect();
        let run_by =
            (!options.is_empty()).then(|| format!("nearfar run {} -- PROGRAM", options.join(" ")));
        Self { access: access.clone(), program_node, buffer_node, interrupt_place, run_by }
    }
}
