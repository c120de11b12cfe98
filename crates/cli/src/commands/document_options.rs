//! Options of every measuring command for its document: where to save it, what to leave out, and
//! how to print it.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::Args;
use jiff::Timestamp;
use nearfar_machine::source::Source;
use nearfar_model::{HostName, Instrument};
use nearfar_report::survey::Verbosity;
use nearfar_survey::{Destination, MachineSummary, Survey, SurveyError};
use nearfar_view::terminal::error_line;
use nearfar_view::terminal::exit::closed_pipe;
use nearfar_view::terminal::{output, screen};

use crate::exit::Paused;
use crate::output_path::OutputPath;
use crate::whole_file::Force;

/// How a document is saved and printed.
#[derive(Debug, Args)]
pub(crate) struct DocumentOptions {
    /// Save the document to this file; '-' prints it as JSON. {host} and {time} in its name are the
    /// host's and the time [default: 'survey' and 'gpu' save in ~/.local/share/nearfar, others save
    /// nothing]
    #[arg(short, long, value_name = "FILE")]
    output: Option<OutputPath>,
    #[command(flatten)]
    force: Force,
    /// Keep this name of the host in the document, for 'nearfar fleet' [default: none; in a job of
    /// Slurm, the node's name]
    #[arg(long, value_name = "NAME")]
    host: Option<HostName>,
    /// Leave the hash of the board's serial number out of the document [default: kept beside the
    /// host's name, where root measures]
    #[arg(long)]
    no_board: bool,
    /// Leave raw samples out of the document
    #[arg(long)]
    no_samples: bool,
    /// Print the document as JSON
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print the cells as CSV
    #[arg(long)]
    csv: bool,
    /// Show p, standard errors, rounds and controls, and all warnings with their remedies.
    #[arg(long)]
    verbose: bool,
}

/// The shown part of a document.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DocumentView {
    Survey,
    /// The part of the instrument that measured alone.
    Part(Instrument),
}

/// Where a document is saved.
pub(crate) enum SaveTarget {
    /// Nowhere: it is only printed.
    Nowhere,
    File(Box<Destination>),
    /// In a file that cannot be created.
    Unavailable(SurveyError),
}

impl SaveTarget {
    /// Saves the document and returns its file, if there is one.
    fn keep(self, survey: &Survey) -> Result<Option<PathBuf>, SurveyError> {
        match self {
            Self::Nowhere => Ok(None),
            Self::File(destination) => destination.keep(survey).map(Some),
            Self::Unavailable(error) => Err(error),
        }
    }
}

impl DocumentOptions {
    /// The target that `-o` names. It is opened before anything is measured, so that an unwritable
    /// folder fails at once.
    pub(crate) fn save_target(&self) -> anyhow::Result<Option<SaveTarget>> {
        let Some(output) = &self.output else { return Ok(None) };
        match output.filled(self.host_name().as_ref(), Timestamp::now())? {
            OutputPath::StandardOutput => Ok(Some(SaveTarget::Nowhere)),
            OutputPath::File(path) => {
                let destination = Destination::file(&path, self.force.if_exists())?;
                Ok(Some(SaveTarget::File(Box::new(destination))))
            }
        }
    }

    /// Saves a document and prints it. Each is done even if the other fails.
    pub(crate) fn finish(
        &self,
        save_target: SaveTarget,
        mut survey: Survey,
        shown: DocumentView,
    ) -> anyhow::Result<()> {
        if self.no_samples {
            survey.strip_samples();
        }
        self.name(&mut survey.machine, &Source::live());
        let kept = save_target.keep(&survey);
        let saved_as = kept.as_ref().ok().and_then(Option::as_deref);
        let printed = self.print(&survey, shown, saved_as);
        let nothing =
            survey.why_nothing_was_measured().map(|why| anyhow!("nothing was measured: {why}"));
        let interrupted = survey.is_interrupted().then(|| Paused(interrupted(&kept)).into());
        let not_kept = kept.err().map(anyhow::Error::from);
        // The last one is the error of this command; earlier ones are printed.
        let errors = [nothing, printed.err(), not_kept, interrupted].into_iter().flatten();
        errors.reduce(report_earlier).map_or(Ok(()), Err)
    }

    fn host_name(&self) -> Option<HostName> {
        self.host.clone().or_else(name_in_slurm)
    }

    /// Names the machine as far as these options ask for it.
    fn name(&self, machine: &mut MachineSummary, source: &Source) {
        machine.host = self.host_name().map(|name| name.to_string());
        let board_is_kept = machine.host.is_some() && !self.no_board;
        machine.board = board_is_kept.then(|| source.board()).flatten();
    }

    /// The last line of the text names the file; of data, a line on stderr.
    fn print(
        &self,
        survey: &Survey,
        shown: DocumentView,
        saved_as: Option<&Path>,
    ) -> anyhow::Result<()> {
        let part = match shown {
            DocumentView::Survey => None,
            DocumentView::Part(instrument) => Some(instrument),
        };
        let is_json = self.json || self.output.as_ref().is_some_and(OutputPath::is_standard_output);
        if !self.csv && !is_json {
            let verbosity = Verbosity::new(self.verbose);
            let mut text = match part {
                None => nearfar_report::survey::text(survey, verbosity),
                Some(part) => nearfar_report::survey::part_text(survey, part, verbosity),
            };
            let named = saved_as.filter(|_| !output::is_quiet());
            text.last = nearfar_report::survey::last_line(survey, part, named);
            return Ok(screen::print(&text)?);
        }
        let printed = if self.csv {
            output::data(&match part {
                None => nearfar_report::survey::csv(survey),
                Some(part) => nearfar_report::survey::part_csv(survey, part),
            })
        } else {
            output::json(survey)
        };
        if let Some(path) = saved_as {
            output::status(&format!("saved as {}", path.display()));
        }
        Ok(printed?)
    }
}

/// The environment variable in which Slurm names the node of a task.
const SLURM_NODE: &str = "SLURMD_NODENAME";

fn name_in_slurm() -> Option<HostName> {
    std::env::var(SLURM_NODE).ok()?.parse().ok()
}

fn interrupted(kept: &Result<Option<PathBuf>, SurveyError>) -> String {
    let kept = if matches!(kept, Ok(Some(_))) { "printed and saved" } else { "printed" };
    format!("all results so far are {kept}")
}

/// Prints the earlier of two errors, and returns the later one.
fn report_earlier(earlier: anyhow::Error, later: anyhow::Error) -> anyhow::Error {
    // A closed pipe is no failure: alone, it ends with status 0.
    if closed_pipe(later.as_ref()) {
        return earlier;
    }
    if !closed_pipe(earlier.as_ref()) {
        output::aside(&format!("nearfar: {}", error_line(earlier.as_ref())));
    }
    later
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct OptionsAlone {
        #[command(flatten)]
        options: DocumentOptions,
    }

    #[test]
    fn a_board_is_kept_beside_a_hosts_name_unless_it_is_left_out() {
        let source = Source::from_files([("/sys/class/dmi/id/board_serial", "ZM187S012345\n")]);
        let keeps_board = |options: &[&str]| {
            let words = ["nearfar"].iter().chain(options);
            let options = OptionsAlone::parse_from(words).options;
            let mut machine = MachineSummary::default();
            options.name(&mut machine, &source);
            (machine.host, machine.board.is_some())
        };
        let host = Some("node07".to_owned());
        assert_eq!(keeps_board(&["--host", "node07"]), (host.clone(), true));
        assert_eq!(keeps_board(&["--host", "node07", "--no-board"]), (host, false));
        assert_eq!(keeps_board(&[]), (None, false));
    }
}
