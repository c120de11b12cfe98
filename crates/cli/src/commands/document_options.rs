//! What every instrument's command does with its document: where it is kept, what is left out, and how it is printed.

use std::path::PathBuf;

use clap::Args;
use nearfar_survey::{Destination, Survey};

use crate::output;

/// How a document is kept and printed.
#[derive(Debug, Args)]
pub(crate) struct DocumentOptions {
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

/// How a document, or a part of it, becomes text.
type Shown = fn(&Survey) -> String;

impl DocumentOptions {
    /// Measures, keeps and prints. The file is opened before anything is measured: an unwritable folder shows at once.
    pub(crate) fn deliver(
        &self,
        measure: impl FnOnce() -> anyhow::Result<Survey>,
        csv: Shown,
        text: Shown,
    ) -> anyhow::Result<()> {
        let destination = self.output.as_deref().map(Destination::file).transpose()?;
        let mut survey = measure()?;
        if self.no_samples {
            survey.forget_samples();
        }
        let kept = destination.map(|destination| destination.keep(&survey)).transpose()?;
        match (self.json, self.csv) {
            (true, _) => output::json(&survey)?,
            (_, true) => output::text(&csv(&survey))?,
            _ => output::text(&text(&survey))?,
        }
        if let Some(path) = kept {
            output::aside(&format!("kept as {}", path.display()));
        }
        Ok(())
    }
}
