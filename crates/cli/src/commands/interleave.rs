//! `nearfar interleave`: what memory gives that is spread over nodes, and by which weights it gives
//! most.

use std::collections::BTreeSet;
use std::time::Duration;

use clap::{ArgGroup, Args};
use nearfar_model::Bytes;
use nearfar_probe::Kernel;
use nearfar_survey::measure::InterleaveSettings;

use super::effort;
use super::measuring::MeasuringOptions;
use super::ranged::from_to;
use super::selection::Selection;
use super::streams::{KERNEL, large_enough};

/// Measure interleaved memory, and find the best weights.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("effort").args(["quick", "thorough"]), after_help = "\
Examples:
  nearfar interleave                             all CPUs, all nodes with memory
  nearfar interleave --cpus 0-15 --nodes 0,2     one socket, DRAM and CXL
  nearfar interleave --rows node --kernels read  each node's CPUs alone
  nearfar interleave --json | jq '.interleave.best[] | {kernel, weights}'

Pages are placed one by one, which needs neither root nor Linux 6.9. All CPUs stream together \
(with --rows, one row at a time). Latency is measured from each CPU group.")]
pub(crate) struct InterleaveCommand {
    /// Faster, less precise: fewer weights, 1 % standard error [default: 0.5 %]
    #[arg(long)]
    quick: bool,
    /// Slower, more precise: 0.25 % standard error (minutes)
    #[arg(long)]
    thorough: bool,
    #[command(flatten)]
    selection: Selection,
    /// Kernels (access loops) to find the best weights for, named as in 'nearfar bandwidth'
    /// [default: read,copy]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = KERNEL,
        hide_possible_values = true)]
    #[arg(default_values = ["read", "copy"], hide_default_value = true)]
    kernels: Vec<Kernel>,
    /// Measure bandwidth only, no latency
    #[arg(long)]
    no_latency: bool,
    /// Buffer, e.g. 1G [default: 4 x one largest cache for latency, 4 x all of them for bandwidth]
    #[arg(long, value_name = "BYTES")]
    size: Option<Bytes>,
    /// Loads of one latency sample
    #[arg(long, value_name = "N", default_value = "65536")]
    #[arg(value_parser = from_to(1u64, 1_000_000_000_000))]
    accesses: u64,
    /// Length of one timed window, in milliseconds
    #[arg(long, value_name = "MS", default_value = "10", value_parser = from_to(1u32, 10_000))]
    window: u32,
    /// Largest weight to try
    #[arg(long, value_name = "N", default_value = "16", value_parser = from_to(1u32, 255))]
    largest_weight: u32,
    #[command(flatten)]
    measuring: MeasuringOptions,
}

impl InterleaveCommand {
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
