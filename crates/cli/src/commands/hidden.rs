//! `nearfar hidden`: is there NUMA that the system does not show?

use std::path::PathBuf;

use clap::{ArgGroup, Args};
use nearfar_survey::{Destination, LARGEST_SHARE, Mode};

use super::budget::BudgetOption;
use super::selection::Selection;
use super::threshold::Threshold;
use crate::exit::WrongUsage;
use crate::measure::{HiddenRequest, measure_hidden};
use crate::output;

/// Look for nodes that firmware or a hypervisor hides: by what many pages, and single lines, cost each group of CPUs.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("effort").args(["quick", "thorough"]), after_help = "\
Examples:
  nearfar hidden                              64 pages that span physical memory, clustered by their cost; seconds
  sudo nearfar hidden                         chosen by where in physical memory they are, which only root may see
  sudo nearfar hidden --share 75%             touch and hold up to three quarters of the free memory for that
  nearfar hidden --budget 1m                  as many processes as fit into a minute, until figures are certain
  nearfar hidden --json | jq '.hidden.pages'  the finding, kinds of pages and the CPUs they are near to

'found': pages belong to nodes that the system does not show. 'interleaved': firmware deals neighbouring lines out to nodes; there is nothing to place.
'none': no difference down to the size that is told. 'undetermined': with what would settle it.")]
pub(crate) struct Hidden {
    /// Fewer samples.
    #[arg(long)]
    quick: bool,
    /// More processes and more samples.
    #[arg(long)]
    thorough: bool,
    #[command(flatten)]
    selection: Selection,
    /// How much of the free memory may be touched and held meanwhile, in percent or as a fraction: at most 75%. More than a quarter helps where
    /// that may lie beside some CPUs only.
    #[arg(long, value_name = "SHARE", default_value = "25%")]
    share: Threshold,
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
    /// Print what each kind of pages costs as CSV.
    #[arg(long)]
    csv: bool,
}

impl Hidden {
    /// Measures and prints.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let share = self.share.share();
        if share > LARGEST_SHARE {
            let most = 100.0 * LARGEST_SHARE;
            return Err(WrongUsage(format!("--share is too large: at most {most:.0}% of the free memory")).into());
        }
        let destination = self.output.as_deref().map(Destination::file).transpose()?;
        let mut survey = measure_hidden(&HiddenRequest {
            mode: match (self.quick, self.thorough) {
                (true, _) => Mode::Quick,
                (_, true) => Mode::Thorough,
                _ => Mode::Default,
            },
            wanted: self.selection.wanted(),
            rows_name: self.selection.rows_name(),
            share,
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
            output::text(&nearfar_report::survey::hidden_csv(&survey))
        } else {
            output::text(&nearfar_report::survey::hidden_text(&survey))
        }
    }
}
