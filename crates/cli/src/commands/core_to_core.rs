//! `nearfar core-to-core`: how far CPUs are from each other.

use clap::{ArgGroup, Args};
use nearfar_model::CpuSet;
use nearfar_probe::LayoutRequest;
use nearfar_survey::measure::CoreToCoreSettings;

use super::effort;
use super::measuring::MeasuringOptions;

/// Measure cache-line latency between CPUs.
///
/// Finds which CPUs share a core, a cache or a package.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("effort").args(["quick", "thorough"]), after_help = "\
Examples:
  nearfar core-to-core              as many pairs as show the structure
  nearfar core-to-core --all-pairs  every pair (of 1,024 CPUs, half a million)
  nearfar core-to-core --cpus 0-15 --json | jq .core_to_core.structure

Latency is one way: half the round trip of a cache line between two CPUs (ping-pong by \
compare-and-swap). Between one CPU of each group, loads of modified and of clean lines are \
measured too, with the line in memory near the writer, near the reader and on a third node.")]
pub(crate) struct CoreToCoreCommand {
    /// Faster: fewer samples between groups
    #[arg(long)]
    quick: bool,
    /// Slower (minutes): more samples between groups
    #[arg(long)]
    thorough: bool,
    /// Measure these CPUs only, e.g. 0-3,8 [default: all allowed]
    #[arg(long, value_name = "LIST")]
    cpus: Option<CpuSet>,
    /// Measure every pair, not only as many as show the structure
    #[arg(long)]
    all_pairs: bool,
    /// Measure ping-pong only, no loads of modified and clean lines
    #[arg(long)]
    handoff_only: bool,
    #[command(flatten)]
    measuring: MeasuringOptions,
}

impl CoreToCoreCommand {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let settings =
            CoreToCoreSettings { all_pairs: self.all_pairs, factors: !self.handoff_only };
        let wanted = LayoutRequest { cpus: self.cpus, ..LayoutRequest::default() };
        let scope = self.measuring.scope(effort::mode(self.quick, self.thorough), wanted);
        self.measuring.deliver(scope, settings)
    }
}
