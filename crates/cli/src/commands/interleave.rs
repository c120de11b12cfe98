//! `nearfar interleave`: what memory gives that is spread over nodes, and by which weights it gives
//! most.

use std::collections::BTreeSet;
use std::time::Duration;

use clap::{ArgGroup, Args};
use nearfar_measure::InterleaveSettings;
use nearfar_model::Bytes;
use nearfar_probe::Kernel;

use super::effort;
use super::measuring::MeasuringOptions;
use super::ranged::from_to;
use super::selection::Selection;
use super::streams::{kernel, large_enough};

/// Measure interleaved memory, and find the best weights.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("effort").args(["quick", "thorough"]), after_help = "\
Examples:
  nearfar interleave                                 all CPUs together, over all nodes with memory
  nearfar interleave --cpus 0-15 --nodes 0,2         one socket, its memory and an expander's
  nearfar interleave --rows node --kernels read      each node's CPUs by themselves, reading only
  nearfar interleave --json | jq '.interleave.best[] | {kernel, weights, set_by, run_by}'

Pages are dealt out one by one, without root and before Linux 6.9 as well. All CPUs stream together (--rows: each row by itself); what a
load costs is measured from each group of CPUs.")]
pub(crate) struct Interleave {
    /// Less precise and faster: fewer weights, 1 % standard error.
    #[arg(long)]
    quick: bool,
    /// More precise and slower (minutes): 0.25 % standard error.
    #[arg(long)]
    thorough: bool,
    #[command(flatten)]
    selection: Selection,
    /// Kernels to search the best weights for, by the names of nearfar bandwidth.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = kernel, default_values = ["read", "copy"], hide_default_value = true)]
    kernels: Vec<Kernel>,
    /// Streams only: do not measure what a load costs.
    #[arg(long)]
    no_latency: bool,
    /// What the threads of a window sweep together, and what loads go through: 1G. By default four
    /// times the largest cache, for threads times the number of such caches.
    #[arg(long, value_name = "BYTES")]
    size: Option<Bytes>,
    /// Loads of one sample of latency.
    #[arg(long, value_name = "N", default_value = "65536", value_parser = from_to(1u64, 1_000_000_000_000))]
    accesses: u64,
    /// How long a window is, in milliseconds.
    #[arg(long, value_name = "MS", default_value = "10", value_parser = from_to(1u32, 10_000))]
    window: u32,
    /// The largest weight to try.
    #[arg(long, value_name = "N", default_value = "16", value_parser = from_to(1u32, 255))]
    largest_weight: u32,
    #[command(flatten)]
    measuring: MeasuringOptions,
}

impl Interleave {
    /// Measures and prints.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let scope =
            self.measuring.scope(effort::mode(self.quick, self.thorough), self.selection.wanted());
        let kernels: BTreeSet<Kernel> = self.kernels.iter().copied().collect();
        let settings = InterleaveSettings {
            kernels: kernels.into_iter().collect(),
            latency: !self.no_latency,
            size: large_enough(self.size)?,
            window: Duration::from_millis(u64::from(self.window)),
            loads: self.accesses,
            largest_weight: self.largest_weight,
        };
        self.measuring.deliver(scope, settings)
    }
}
