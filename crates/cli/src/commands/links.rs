//! `nearfar links FILE`: which nodes of a kept survey are connected directly.

use std::path::PathBuf;

use clap::Args;
use nearfar_infer::links::NoLinks;
use nearfar_report::survey::Verbosity;
use nearfar_survey::{NodeLinks, Survey};
use nearfar_view::terminal::{output, screen};

use crate::{document_file, input};

/// Find which nodes of a saved survey are linked directly.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar links before.json
  nearfar links before.json --json | jq .edges
  nearfar links before.json --json | jq '.edges[] | select(.support > 0.99)'

Needs the latency of every pair of at least three nodes, each to 1 %; otherwise 'refused' \
gives the reason. A switch looks like a direct link to every node behind it if those are \
equally far.")]
pub(crate) struct LinksCommand {
    /// Survey: a file, or a number of 'nearfar show' [default: the newest saved]
    file: Option<PathBuf>,
    #[arg(long)]
    json: bool,
    /// Show the share of resamples that have each link.
    #[arg(long)]
    verbose: bool,
}

impl LinksCommand {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let file = document_file::named_or_newest(self.file.as_deref())?;
        let survey = input::read(&file, nearfar_survey::read)?;
        let none = || NodeLinks { refused: Some(why_no_nodes(&survey)), ..NodeLinks::default() };
        let links = survey.links.clone().unwrap_or_else(none);
        if self.json {
            return Ok(output::json(&links)?);
        }
        let verbosity = Verbosity::new(self.verbose);
        let classes = survey.classes.as_ref();
        Ok(screen::print(&nearfar_report::links::text(&links, classes, verbosity))?)
    }
}

/// Why a survey has no classes and links.
pub(super) fn why_no_nodes(survey: &Survey) -> NoLinks {
    match &survey.samples {
        _ if survey.latency.cells.is_empty() => NoLinks::NotMeasured,
        None => NoLinks::NoSamples,
        Some(_) => NoLinks::OneMemory,
    }
}
