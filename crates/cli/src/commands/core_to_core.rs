//! `nearfar core-to-core`: how far CPUs are from each other.

use std::path::PathBuf;

use clap::{ArgGroup, Args};
use nearfar_model::CpuSet;
use nearfar_survey::{Destination, Mode};

use super::budget::BudgetOption;
use crate::measure::{PairRequest, measure_core_to_core};
use crate::output;

/// Measure how far CPUs are from each other, and find who shares a core, a cache, a package.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("effort").args(["quick", "thorough"]), after_help = "\
Examples:
  nearfar core-to-core                     few pairs of large machines, all pairs of small ones
  nearfar core-to-core --all-pairs         every pair: half a million of 1,024 CPUs
  nearfar core-to-core --cpus 0-15 --json | jq .core_to_core.structure

A figure is one way, half the round trip of a line that two CPUs hand to and fro by compare-and-swap. Loads of a line that the other
CPU holds modified or clean, and lines at home with the writer, the reader or a third node, are measured between one CPU of each group.")]
pub(crate) struct CoreToCore {
    /// Fewer samples between groups.
    #[arg(long)]
    quick: bool,
    /// More samples between groups (minutes).
    #[arg(long)]
    thorough: bool,
    /// These CPUs only (list form: 0-3,8).
    #[arg(long, value_name = "LIST")]
    cpus: Option<CpuSet>,
    /// Measure every pair, not only as many as tell the structure.
    #[arg(long)]
    all_pairs: bool,
    /// Only hand lines to and fro: no loads of modified and clean lines, one home.
    #[arg(long)]
    handoff_only: bool,
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
    /// Print the pairs as CSV.
    #[arg(long)]
    csv: bool,
}

impl CoreToCore {
    /// Measures and prints.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let destination = self.output.as_deref().map(Destination::file).transpose()?;
        let mut survey = measure_core_to_core(PairRequest {
            mode: match (self.quick, self.thorough) {
                (true, _) => Mode::Quick,
                (_, true) => Mode::Thorough,
                _ => Mode::Default,
            },
            cpus: self.cpus,
            all_pairs: self.all_pairs,
            factors: !self.handoff_only,
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
            output::text(&nearfar_report::survey::core_to_core_csv(&survey))
        } else {
            output::text(&nearfar_report::survey::core_to_core_text(&survey))
        }
    }
}
