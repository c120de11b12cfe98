//! `nearfar loaded`: how slow memory becomes when it is busy.

use clap::{ArgGroup, Args};
use nearfar_measure::LoadedSettings;
use nearfar_model::Bytes;
use nearfar_probe::Kernel;

use super::effort;
use super::measuring::MeasuringOptions;
use super::ranged::from_to;
use super::selection::Selection;
use super::streams::{isa, kernel, large_enough};

/// Measure latency while other CPUs use the memory.
///
/// From every CPU group to every node, by how much the other CPUs move.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("effort").args(["quick", "thorough"]), after_help = "\
Examples:
  nearfar loaded                        each group's latency beside its own other CPUs
  nearfar loaded --pairs --quick        beside every group's, through every node: who shares a link
  nearfar loaded --kernel 2:1           two reads for each write in place of reading
  nearfar loaded --points 20 --csv      closer curves, for a spreadsheet")]
pub(crate) struct Loaded {
    /// Less precise and faster: 2 % standard error.
    #[arg(long)]
    quick: bool,
    /// More precise and slower (minutes): 0.5 % standard error.
    #[arg(long)]
    thorough: bool,
    #[command(flatten)]
    selection: Selection,
    /// Beside every group in place of the own one, and through every node's memory.
    #[arg(long)]
    pairs: bool,
    /// What the others do: read (1:0), write, nt-write, copy, nt-copy, triad, 3:1, 2:1, 1:1.
    #[arg(long, value_name = "NAME", default_value = "read", value_parser = kernel)]
    kernel: Kernel,
    /// Instructions: auto (the widest there are), avx512, avx2, sse2, neon or portable.
    #[arg(long, value_name = "NAME", default_value = "auto")]
    isa: String,
    /// Points of a curve, at most: six to begin with, then where it bends. By default 8 with
    /// --quick, else 12, 16 with --thorough.
    #[arg(long, value_name = "N", value_parser = from_to(6u16, 64))]
    points: Option<u16>,
    /// What the others sweep together: 1G. By default four times the largest cache.
    #[arg(long, value_name = "BYTES")]
    size: Option<Bytes>,
    #[command(flatten)]
    measuring: MeasuringOptions,
}

impl Loaded {
    /// Measures and prints.
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
