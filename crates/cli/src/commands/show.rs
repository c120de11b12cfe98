//! `nearfar show FILE`: a kept survey once more.

use std::path::PathBuf;

use clap::Args;

use crate::output;

/// Show a kept survey again: the same bytes as when it was made.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar show EPYC-7451-2P-20261120-101400.json
  nearfar show FILE --csv > cells.csv")]
pub(crate) struct Show {
    /// The survey's file; 'nearfar surveys' lists those that were kept.
    file: PathBuf,
    /// Print the survey's JSON.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print its cells as CSV.
    #[arg(long)]
    csv: bool,
}

impl Show {
    /// Reads and prints.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let survey = nearfar_survey::read(&self.file)?;
        if self.json {
            output::json(&survey)
        } else if self.csv {
            output::text(&nearfar_report::survey::csv(&survey))
        } else {
            output::text(&nearfar_report::survey::text(&survey))
        }
    }
}
