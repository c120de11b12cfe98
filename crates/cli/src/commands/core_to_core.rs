//! `nearfar core-to-core`: how far CPUs are from each other.

use clap::{ArgGroup, Args};
use nearfar_measure::CoreToCoreSettings;
use nearfar_model::CpuSet;
use nearfar_probe::Wanted;

use super::effort;
use super::measuring::MeasuringOptions;

/// Measure cache-line latency between CPUs.
///
/// Finds which CPUs share a core, a cache or a package.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("effort").args(["quick", "thorough"]), after_help = "\
Examples:
  nearfar core-to-core                     few pairs of large machines, all pairs of small ones
  nearfar core-to-core --all-pairs         every pair: half a million of 1,024 CPUs
  nearfar core-to-core --cpus 0-15 --json | jq .core_to_core.structure

A figure is one way, half the round trip of a line that two CPUs hand to and fro by compare-and-swap. Loads of a line that the other
CPU holds modified or clean, and lines at home with the writer, the reader or a third node, are measured between one CPU of each group.")]
pub(crate) struct CoreToCore {
    /// Fewer samples between groups.
    #[arg(long)]
    quick: bool,
    /// More samples between groups (minutes).
    #[arg(long)]
    thorough: bool,
    /// These CPUs only (list form: 0-3,8).
    #[arg(long, value_name = "LIST")]
    cpus: Option<CpuSet>,
    /// Measure every pair, not only as many as tell the structure.
    #[arg(long)]
    all_pairs: bool,
    /// Only hand lines to and fro: no loads of modified and clean lines, one home.
    #[arg(long)]
    handoff_only: bool,
    #[command(flatten)]
    measuring: MeasuringOptions,
}

impl CoreToCore {
    /// Measures and prints.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let settings =
            CoreToCoreSettings { all_pairs: self.all_pairs, factors: !self.handoff_only };
        let wanted = Wanted { cpus: self.cpus, ..Wanted::default() };
        let scope = self.measuring.scope(effort::mode(self.quick, self.thorough), wanted);
        self.measuring.deliver(scope, settings)
    }
}
