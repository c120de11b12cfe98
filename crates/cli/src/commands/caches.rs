//! `nearfar caches`: where each cache ends, and what it costs.

use clap::{ArgGroup, Args};
use nearfar_model::{Bytes, CpuSet};
use nearfar_probe::LayoutRequest;
use nearfar_survey::measure::CachesSettings;

use super::effort;
use super::measuring::MeasuringOptions;
use super::selection::RowChoice;

/// Measure each cache's size and latency, and the TLB's reach.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("effort").args(["quick", "thorough"]), after_help = "\
Examples:
  nearfar caches                                 all levels, and sysfs's claims
  nearfar caches --quick --largest 64M           up to 64 MiB, in seconds
  nearfar caches --cpus 0,8                      caches of CPUs 0 and 8
  nearfar caches --json | jq '.caches.found[0]'  levels, memory, TLB, claims

One CPU follows pointers through buffers of growing size, on 2 MiB pages and on base pages. \
Base pages show the TLB's reach.")]
pub(crate) struct CachesCommand {
    /// Faster: fewer samples, and half as many sizes beyond 8 MiB
    #[arg(long)]
    quick: bool,
    /// Slower (minutes): more samples
    #[arg(long)]
    thorough: bool,
    /// Measure one CPU of each core, cache group or node [default: one CPU of the first group]
    #[arg(long, value_name = "KIND")]
    rows: Option<RowChoice>,
    /// Measure one CPU of each row among these, e.g. 0-3,8 [default: all allowed]
    #[arg(long, value_name = "LIST")]
    cpus: Option<CpuSet>,
    /// Largest buffer, e.g. 256M [default: 4 x the last-level cache, at least 64M, at most a
    /// quarter of free memory]
    #[arg(long, value_name = "BYTES")]
    largest: Option<Bytes>,
    #[command(flatten)]
    measuring: MeasuringOptions,
}

impl CachesCommand {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let settings = CachesSettings {
            one_row: self.rows.is_none() && self.cpus.is_none(),
            largest: self.largest,
        };
        let wanted = LayoutRequest {
            rows: self.rows.unwrap_or(RowChoice::Auto).kind(),
            cpus: self.cpus,
            nodes: None,
        };
        let scope = self.measuring.scope(effort::mode(self.quick, self.thorough), wanted);
        self.measuring.deliver(scope, settings)
    }
}
