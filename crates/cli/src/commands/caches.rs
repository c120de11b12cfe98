//! `nearfar caches`: where each cache ends, and what it costs.

use std::path::PathBuf;

use clap::{ArgGroup, Args};
use nearfar_model::{Bytes, CpuSet};
use nearfar_survey::{Destination, Mode};

use super::budget::BudgetOption;
use super::selection::Rows;
use crate::measure::{CachesRequest, measure_caches};
use crate::output;

/// Measure what an access costs by the size of what is accessed, and find where each cache ends.
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
    /// What a row is: a core, a group of CPUs that share their last-level cache, or a node; one CPU of each is measured. By default the
    /// first group alone, or the first core where there is one group.
    #[arg(long, value_name = "KIND")]
    rows: Option<Rows>,
    /// One CPU of each row among these CPUs (list form: 0-3,8).
    #[arg(long, value_name = "LIST")]
    cpus: Option<CpuSet>,
    /// The largest size: 256M. By default four times the last-level cache, at least 64 MiB, at most a quarter of free memory.
    #[arg(long, value_name = "BYTES")]
    largest: Option<Bytes>,
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

impl Caches {
    /// Measures and prints.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let destination = self.output.as_deref().map(Destination::file).transpose()?;
        let rows = self.rows.unwrap_or(Rows::Auto);
        let mut survey = measure_caches(CachesRequest {
            mode: match (self.quick, self.thorough) {
                (true, _) => Mode::Quick,
                (_, true) => Mode::Thorough,
                _ => Mode::Default,
            },
            one_row: self.rows.is_none() && self.cpus.is_none(),
            cpus: self.cpus,
            rows: rows.kind(),
            rows_name: rows.name(),
            largest: self.largest,
            budget: self.time.time(),
            seed: self.seed,
        })?;
        if self.no_samples {
            survey.forget_samples();
        }
        if let Some(destination) = destination {
            destination.keep(&survey)?;
        }
        if self.json {
            output::json(&survey)
        } else if self.csv {
            output::text(&nearfar_report::survey::caches_csv(&survey))
        } else {
            output::text(&nearfar_report::survey::caches_text(&survey))
        }
    }
}
