//! `nearfar show FILE`: a kept survey once more.

use std::path::PathBuf;

use clap::Args;
use nearfar_report::survey::Part;
use nearfar_survey::Survey;

use crate::exit::WrongUsage;
use crate::output;

/// Show a kept survey again: the same bytes as when it was made.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar show EPYC-7451-2P-20261120-101400.json
  nearfar show FILE --part caches                     one part of a thorough survey, with its curve
  nearfar show FILE --csv > cells.csv")]
pub(crate) struct Show {
    /// The survey's file; 'nearfar surveys' lists those that were kept.
    file: PathBuf,
    /// One part with all that it has: latency, bandwidth, loaded, core-to-core, caches, interleave or hidden.
    #[arg(long, value_name = "NAME", value_parser = part, conflicts_with = "json")]
    part: Option<Part>,
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
        if let Some(part) = self.part {
            return show_part(&survey, part, self.csv);
        }
        if self.json {
            output::json(&survey)
        } else if self.csv {
            output::text(&nearfar_report::survey::csv(&survey))
        } else {
            output::text(&nearfar_report::survey::text(&survey))
        }
    }
}

fn show_part(survey: &Survey, part: Part, csv: bool) -> anyhow::Result<()> {
    if !Part::of(survey).contains(&part) {
        let there: Vec<&str> = Part::of(survey).into_iter().map(Part::name).collect();
        return Err(WrongUsage(format!("there is no part '{}' in it: it has {}", part.name(), there.join(", "))).into());
    }
    output::text(&match csv {
        true => nearfar_report::survey::part_csv(survey, part),
        false => nearfar_report::survey::part_text(survey, part),
    })
}

fn part(name: &str) -> Result<Part, String> {
    let all = Part::ALL.map(Part::name).join(", ");
    Part::from_name(name).ok_or_else(|| format!("there is no part '{name}': choose of {all}"))
}
