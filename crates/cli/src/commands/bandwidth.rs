//! `nearfar bandwidth`: how much memory delivers.

use std::collections::BTreeSet;
use std::time::Duration;

use clap::{ArgGroup, Args};
use nearfar_model::Bytes;
use nearfar_probe::Kernel;
use nearfar_survey::Peak;
use nearfar_survey::measure::BandwidthSettings;
use nearfar_view::terminal::exit::WrongUsage;

use super::effort;
use super::measuring::MeasuringOptions;
use super::ranged::from_to;
use super::selection::Selection;
use super::streams::{KERNEL, isa, large_enough};

/// The kernels that are measured by default: all.
const KERNELS: [&str; 9] =
    ["read", "write", "nt-write", "copy", "nt-copy", "triad", "3:1", "2:1", "1:1"];

/// Measure memory bandwidth by CPU group, node, kernel and threads.
///
/// A kernel is an access loop. More and more threads read until bandwidth stops growing; then every
/// kernel runs with that number of threads.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("effort").args(["quick", "thorough"]), after_help = "\
Examples:
  nearfar bandwidth                                 every kernel
  nearfar bandwidth --kernels read,nt-copy --quick  two kernels, in seconds
  nearfar bandwidth --threads 1 --isa sse2          one thread, 16-byte loads
  nearfar bandwidth --threads 1,8,16 --csv          every kernel with each
  nearfar bandwidth --dimms 8x4800                  share of 8 x DDR5-4800")]
pub(crate) struct BandwidthCommand {
    /// Faster, less precise: 1 % standard error [default: 0.5 %]
    #[arg(long)]
    quick: bool,
    /// Slower, more precise: 0.25 % standard error (minutes)
    #[arg(long)]
    thorough: bool,
    #[command(flatten)]
    selection: Selection,
    /// Kernels: read (1:0), write, nt-write, copy, nt-copy, triad, 3:1, 2:1, 1:1; nt is
    /// non-temporal, read is always included [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = KERNEL,
        hide_possible_values = true)]
    #[arg(default_values = KERNELS, hide_default_value = true)]
    kernels: Vec<Kernel>,
    /// Vector instructions: auto (the widest available), avx512, avx2, sse2, neon or portable
    #[arg(long, value_name = "NAME", default_value = "auto")]
    isa: String,
    /// Thread counts of each group, e.g. 1,4,16 [default: more until bandwidth stops growing]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = from_to(1u16, 4096))]
    threads: Vec<u16>,
    /// Total buffer of all threads, e.g. 1G [default: 4 x the largest cache]
    #[arg(long, value_name = "BYTES")]
    size: Option<Bytes>,
    /// Length of one timed window, in milliseconds
    #[arg(long, value_name = "MS", default_value = "2", value_parser = from_to(1u32, 10_000))]
    window: u32,
    /// Windows per sample, the fastest counts [default: as many as fill 40 ms]
    #[arg(long, value_name = "N", value_parser = from_to(1u32, 10_000))]
    windows: Option<u32>,
    /// Channels per node x MT/s, e.g. 8x4800, to show the share of that peak [default: from SMBIOS]
    #[arg(long, value_name = "NxMTS", value_parser = dimms)]
    dimms: Option<(u32, u32)>,
    #[command(flatten)]
    measuring: MeasuringOptions,
}

impl BandwidthCommand {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let scope =
            self.measuring.scope(effort::mode(self.quick, self.thorough), self.selection.wanted());
        let settings = self.settings()?;
        self.measuring.deliver(scope, settings)
    }

    fn settings(&self) -> Result<BandwidthSettings, WrongUsage> {
        let kernels: BTreeSet<Kernel> = self.kernels.iter().copied().collect();
        let threads: BTreeSet<usize> = self.threads.iter().copied().map(usize::from).collect();
        Ok(BandwidthSettings {
            kernels: kernels.into_iter().collect(),
            isa: isa(&self.isa)?,
            threads: threads.into_iter().collect(),
            size: large_enough(self.size)?,
            window: Duration::from_millis(u64::from(self.window)),
            windows: self.windows,
            peak: self.dimms.map(|(channels, speed)| Peak::new(channels, speed, "user")),
        })
    }
}

fn dimms(text: &str) -> Result<(u32, u32), String> {
    let parsed = text.split_once(['x', 'X']).and_then(|(channels, speed)| {
        let (channels, speed) = (channels.trim().parse().ok()?, speed.trim().parse().ok()?);
        ((1..=64).contains(&channels) && (100..=100_000).contains(&speed))
            .then_some((channels, speed))
    });
    parsed.ok_or_else(|| "give channels x million transfers a second, such as 8x4800".to_owned())
}
