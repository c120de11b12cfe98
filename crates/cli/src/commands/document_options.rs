//! What every instrument's command does with its document: where it is kept, what is left out, and
//! how it is printed.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;
use nearfar_model::Instrument;
use nearfar_report::survey::Verbosity;
use nearfar_survey::{Destination, Survey, SurveyError};
use nearfar_terminal::error_line;
use nearfar_terminal::exit::closed_pipe;
use nearfar_terminal::output;

use crate::exit::Paused;
use crate::whole_file::{Force, is_standard_output};

/// How a document is kept and printed.
#[derive(Debug, Args)]
pub(crate) struct DocumentOptions {
    /// Save the document to this file; '-' prints it as JSON [default: only 'survey' saves, in its
    /// folder]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
    /// Leave raw samples out of the document
    #[arg(long)]
    no_samples: bool,
    /// Print the document as JSON
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print the cells as CSV
    #[arg(long)]
    csv: bool,
    /// Show all warnings with their remedies; without it, the three most important.
    #[arg(long)]
    verbose: bool,
}

/// What of a document is shown.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shown {
    /// All of it.
    Survey,
    /// The part of the instrument that measured alone.
    Part(Instrument),
}

/// Where a document is kept.
pub(crate) enum Place {
    /// Nowhere: it is only printed.
    Nowhere,
    /// In a file.
    File(Box<Destination>),
    /// In a file that cannot be had.
    Unavailable(SurveyError),
}

impl Place {
    /// Keeps the document; its file, if there is one.
    fn keep(self, survey: &Survey) -> Result<Option<PathBuf>, SurveyError> {
        match self {
            Self::Nowhere => Ok(None),
            Self::File(destination) => destination.keep(survey).map(Some),
            Self::Unavailable(error) => Err(error),
        }
    }
}

impl DocumentOptions {
    /// Where `-o` says that the document is kept. It is opened before anything is measured: an
    /// unwritable folder shows at once.
    pub(crate) fn place(&self) -> Result<Option<Place>, SurveyError> {
        match self.output.as_deref() {
            None => Ok(None),
            Some(path) if is_standard_output(path) => Ok(Some(Place::Nowhere)),
            Some(path) => {
                let destination = Destination::file(path, self.force.if_exists())?;
                Ok(Some(Place::File(Box::new(destination))))
            }
        }
    }

    /// Prints a document, then keeps it: what was measured is seen even where it cannot be kept,
    /// and kept even where nobody reads it.
    pub(crate) fn finish(
        &self,
        place: Place,
        mut survey: Survey,
        shown: Shown,
    ) -> anyhow::Result<()> {
        if self.no_samples {
            survey.strip_samples();
        }
        let printed = self.print(&survey, shown);
        let kept = place.keep(&survey);
        if let Ok(Some(path)) = &kept {
            output::aside(&format!("kept as {}", path.display()));
        }
        let nothing =
            survey.why_nothing_was_measured().map(|why| anyhow!("nothing was measured: {why}"));
        let interrupted = survey.is_interrupted().then(|| Paused(interrupted(&kept)).into());
        let not_kept = kept.err().map(anyhow::Error::from);
        // The last one is this command's error; what came before it is told, too.
        let errors = [nothing, printed.err(), not_kept, interrupted].into_iter().flatten();
        errors.reduce(told_before).map_or(Ok(()), Err)
    }

    fn print(&self, survey: &Survey, shown: Shown) -> anyhow::Result<()> {
        if self.csv {
            return Ok(output::text(&match shown {
                Shown::Survey => nearfar_report::survey::csv(survey),
                Shown::Part(instrument) => nearfar_report::survey::part_csv(survey, instrument),
            })?);
        }
        if self.json || self.output.as_deref().is_some_and(is_standard_output) {
            return Ok(output::json(survey)?);
        }
        let verbosity = if self.verbose { Verbosity::Verbose } else { Verbosity::Brief };
        Ok(output::text(&match shown {
            Shown::Survey => nearfar_report::survey::text(survey, verbosity),
            Shown::Part(instrument) => {
                nearfar_report::survey::part_text(survey, instrument, verbosity)
            }
        })?)
    }
}

fn interrupted(kept: &Result<Option<PathBuf>, SurveyError>) -> String {
    let kept = if matches!(kept, Ok(Some(_))) { "printed and kept" } else { "printed" };
    format!("what was measured by then is {kept}")
}

/// The later of two errors; the earlier one goes to standard error now.
fn told_before(earlier: anyhow::Error, later: anyhow::Error) -> anyhow::Error {
    // A closed pipe is no failure, and ends with status 0 where nothing else went wrong.
    if closed_pipe(later.as_ref()) {
        return earlier;
    }
    if !closed_pipe(earlier.as_ref()) {
        output::aside(&format!("nearfar: {}", error_line(earlier.as_ref())));
    }
    later
}
