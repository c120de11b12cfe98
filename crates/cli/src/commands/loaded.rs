//! `nearfar loaded`: how slow memory becomes when it is busy.

use clap::{ArgGroup, Args};
use nearfar_model::Bytes;
use nearfar_probe::Kernel;
use nearfar_survey::measure::LoadedSettings;

use super::effort;
use super::measuring::MeasuringOptions;
use super::ranged::from_to;
use super::selection::Selection;
use super::streams::{KERNEL, isa, large_enough};

/// Measure latency while other CPUs use the memory.
///
/// Measures from every CPU group to every node, under increasing load from other CPUs.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("effort").args(["quick", "thorough"]), after_help = "\
Examples:
  nearfar loaded                    load from the other CPUs of the same group
  nearfar loaded --pairs --quick    load from every group: finds shared links
  nearfar loaded --kernel 2:1       load of two reads per write
  nearfar loaded --points 20 --csv  finer curves, for a spreadsheet")]
pub(crate) struct LoadedCommand {
    /// Faster, less precise: 2 % standard error [default: 1 %]
    #[arg(long)]
    quick: bool,
    /// Slower, more precise: 0.5 % standard error (minutes)
    #[arg(long)]
    thorough: bool,
    #[command(flatten)]
    selection: Selection,
    /// Load from every CPU group and every node, not only the local one
    #[arg(long)]
    pairs: bool,
    /// Access loop of the loading CPUs: read (1:0), write, nt-write, copy, nt-copy, triad, 3:1,
    /// 2:1, 1:1
    #[arg(long, value_name = "NAME", default_value = "read", value_parser = KERNEL,
        hide_possible_values = true)]
    kernel: Kernel,
    /// Vector instructions: auto (the widest available), avx512, avx2, sse2, neon or portable
    #[arg(long, value_name = "NAME", default_value = "auto")]
    isa: String,
    /// Most points of a curve: six first, then where it bends [default: 12, --quick 8, --thorough
    /// 16]
    #[arg(long, value_name = "N", value_parser = from_to(6u16, 64))]
    points: Option<u16>,
    /// Total buffer of the loading CPUs, e.g. 1G [default: 4 x the largest cache]
    #[arg(long, value_name = "BYTES")]
    size: Option<Bytes>,
    #[command(flatten)]
    measuring: MeasuringOptions,
}

impl LoadedCommand {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let scope =
            self.measuring.scope(effort::mode(self.quick, self.thorough), self.selection.wanted());
        let settings = LoadedSettings {
            pairs: self.pairs,
            kernel: self.kernel,
            isa: isa(&self.isa)?,
            points: self.points.map(usize::from),
            size: large_enough(self.size)?,
        };
        self.measuring.deliver(scope, settings)
    }
}
