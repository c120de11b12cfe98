//! `nearfar links FILE`: which nodes of a kept survey are connected directly.

use std::path::PathBuf;

use clap::Args;
use nearfar_survey::{NodeLinks, Survey};

use crate::output;

/// Tell which nodes are linked directly, and which are reached through others, from a kept survey.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar links before.json
  nearfar links before.json --json | jq '.edges[] | select(.support > 0.99)'

Links need a cost of every pair of at least three nodes, each to 1 %; where costs do not carry them, 'refused' says why. A switch that makes all nodes
beyond it equally far looks like a link to each of them.")]
pub(crate) struct Links {
    /// The survey's file; 'nearfar surveys' lists those that were kept.
    file: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Links {
    /// Reads and prints.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let mut survey = nearfar_survey::read(&self.file)?;
        if survey.links.is_none() && survey.samples.is_some() {
            // Kept by a version that did not tell.
            survey.judge()?;
        }
        let links = survey.links.clone().unwrap_or_else(|| NodeLinks::refused(why_none(&survey)));
        if self.json {
            return output::json(&links);
        }
        output::text(&nearfar_report::links::text(&links, survey.classes.as_ref()))
    }
}

fn why_none(survey: &Survey) -> String {
    match survey.samples {
        None => "the survey was kept without samples, before links were told: survey again".to_owned(),
        Some(_) => "the survey has fewer than two nodes with memory, and links are between nodes".to_owned(),
    }
}
