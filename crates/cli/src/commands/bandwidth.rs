//! `nearfar bandwidth`: how much memory delivers.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args};
use nearfar_model::Bytes;
use nearfar_probe::{Isa, Kernel};
use nearfar_survey::{Destination, Mode, Peak};

use super::budget::BudgetOption;
use super::ranged::from_to;
use super::selection::Selection;
use crate::exit::WrongUsage;
use crate::measure::{BandwidthRequest, measure_bandwidth};
use crate::output;

/// Measure how much memory delivers: bytes a second from every CPU group to every node, by kernel and number of threads.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("effort").args(["quick", "thorough"]), after_help = "\
Examples:
  nearfar bandwidth                                   reading by threads until the knee, then every kernel
  nearfar bandwidth --kernels read,nt-copy --quick    two kernels, in seconds
  nearfar bandwidth --threads 1 --isa sse2            one thread, narrow loads
  nearfar bandwidth --dimms 8x4800                    share of what eight channels of DDR5-4800 a node could deliver")]
pub(crate) struct Bandwidth {
    /// Less precise and faster: 1 % standard error.
    #[arg(long)]
    quick: bool,
    /// More precise and slower (minutes): 0.25 % standard error.
    #[arg(long)]
    thorough: bool,
    #[command(flatten)]
    selection: Selection,
    /// Kernels: read (1:0), write, nt-write, copy, nt-copy, triad, 3:1, 2:1, 1:1. Reading is always measured.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = kernel, default_values = ["read", "write", "nt-write", "copy", "nt-copy", "triad", "3:1", "2:1", "1:1"], hide_default_value = true)]
    kernels: Vec<Kernel>,
    /// Instructions: auto (the widest there are), avx512, avx2, sse2, neon or portable.
    #[arg(long, value_name = "NAME", default_value = "auto")]
    isa: String,
    /// Threads of each group, in place of a curve.
    #[arg(long, value_name = "N", value_parser = from_to(1u16, 4096))]
    threads: Option<u16>,
    /// What the threads of a window sweep together: 1G. By default four times the largest cache.
    #[arg(long, value_name = "BYTES")]
    size: Option<Bytes>,
    /// How long a window is, in milliseconds.
    #[arg(long, value_name = "MS", default_value = "10", value_parser = from_to(1u32, 10_000))]
    window: u32,
    /// Windows of a visit, of which the fastest counts. By default as many as fill 40 ms.
    #[arg(long, value_name = "N", value_parser = from_to(1u32, 10_000))]
    windows: Option<u32>,
    /// What feeds each node: channels x million transfers a second.
    #[arg(long, value_name = "NxMTS", value_parser = dimms)]
    dimms: Option<(u32, u32)>,
    #[command(flatten)]
    time: BudgetOption,
    /// Seed of every random choice.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Keep the document in this file.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Leave the raw samples out of the document.
    #[arg(long)]
    no_samples: bool,
    /// Print the document as JSON.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print the cells as CSV.
    #[arg(long)]
    csv: bool,
}

/// Buffers smaller than this a thread goes through before it has begun.
const SMALLEST: Bytes = Bytes::mib(1);

impl Bandwidth {
    /// Measures and prints.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let request = self.request()?;
        let destination = self.output.as_deref().map(Destination::file).transpose()?;
        let mut survey = measure_bandwidth(request)?;
        if self.no_samples {
            survey.forget_samples();
        }
        if let Some(destination) = destination {
            destination.keep(&survey)?;
        }
        if self.json {
            output::json(&survey)
        } else if self.csv {
            output::text(&nearfar_report::survey::bandwidth_csv(&survey))
        } else {
            output::text(&nearfar_report::survey::bandwidth_text(&survey))
        }
    }

    fn request(&self) -> anyhow::Result<BandwidthRequest> {
        if let Some(size) = self.size.filter(|size| *size < SMALLEST) {
            return Err(WrongUsage(format!("--size {size} is too small: at least {SMALLEST}")).into());
        }
        let mut kernels = self.kernels.clone();
        kernels.sort_unstable();
        kernels.dedup();
        Ok(BandwidthRequest {
            mode: match (self.quick, self.thorough) {
                (true, _) => Mode::Quick,
                (_, true) => Mode::Thorough,
                _ => Mode::Default,
            },
            wanted: self.selection.wanted(),
            rows_name: self.selection.rows_name(),
            kernels,
            isa: Isa::from_name(&self.isa).map_err(|error| WrongUsage(format!("--isa: {error}")))?,
            threads: self.threads.map(usize::from),
            footprint: self.size,
            window: Duration::from_millis(u64::from(self.window)),
            windows: self.windows,
            peak: self.dimms.map(|(channels, speed)| Peak::new(channels, speed, "user")),
            budget: self.time.time(),
            seed: self.seed,
        })
    }
}

fn kernel(name: &str) -> Result<Kernel, String> {
    Kernel::from_name(name).map_err(|error| error.to_string())
}

fn dimms(text: &str) -> Result<(u32, u32), String> {
    let parsed = text.split_once(['x', 'X']).and_then(|(channels, speed)| {
        let (channels, speed) = (channels.trim().parse().ok()?, speed.trim().parse().ok()?);
        ((1..=64).contains(&channels) && (100..=100_000).contains(&speed)).then_some((channels, speed))
    });
    parsed.ok_or_else(|| "give channels x million transfers a second, such as 8x4800".to_owned())
}
