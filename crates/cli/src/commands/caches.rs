//! `nearfar caches`: where each cache ends, and what it costs.

use clap::{ArgGroup, Args};
use nearfar_measure::CachesSettings;
use nearfar_model::{Bytes, CpuSet};
use nearfar_probe::Wanted;

use super::effort;
use super::measuring::MeasuringOptions;
use super::selection::Rows;

/// Measure each cache's size and latency, and the TLB's reach.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("effort").args(["quick", "thorough"]), after_help = "\
Examples:
  nearfar caches                                  levels, capacities and latencies beside what sysfs claims
  nearfar caches --quick --largest 64M            fewer samples, up to 64 MiB: in seconds
  nearfar caches --cpus 0,8                       caches of CPUs 0 and 8
  nearfar caches --json | jq '.caches.found[0]'   levels, memory, TLB, claims

One CPU chases pointers round buffers of growing size, on pages of 2 MiB and on base pages. The latter show how far the TLB reaches.")]
pub(crate) struct Caches {
    /// Fewer samples, and beyond 8 MiB two sizes an octave in place of four.
    #[arg(long)]
    quick: bool,
    /// More samples (minutes).
    #[arg(long)]
    thorough: bool,
    /// What a row is: a core, a group of CPUs that share their last-level cache, or a node; one
    /// CPU of each is measured. By default the first group alone, or the first core where there is
    /// one group.
    #[arg(long, value_name = "KIND")]
    rows: Option<Rows>,
    /// One CPU of each row among these CPUs (list form: 0-3,8).
    #[arg(long, value_name = "LIST")]
    cpus: Option<CpuSet>,
    /// The largest size: 256M. By default four times the last-level cache, at least 64 MiB, at
    /// most a quarter of free memory.
    #[arg(long, value_name = "BYTES")]
    largest: Option<Bytes>,
    #[command(flatten)]
    measuring: MeasuringOptions,
}

impl Caches {
    /// Measures and prints.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let settings = CachesSettings {
            one_row: self.rows.is_none() && self.cpus.is_none(),
            largest: self.largest,
        };
        let wanted =
            Wanted { rows: self.rows.unwrap_or(Rows::Auto).kind(), cpus: self.cpus, nodes: None };
        let scope = self.measuring.scope(effort::mode(self.quick, self.thorough), wanted);
        self.measuring.deliver(scope, settings)
    }
}
