//! `nearfar show FILE`: a saved survey, sweep or diagnosis as text.

use std::path::PathBuf;

use anyhow::{Context, anyhow};
use clap::Args;
use nearfar_diagnose::Diagnosis;
use nearfar_model::Instrument;
use nearfar_report::export::hwloc;
use nearfar_report::links::reasons::no_links;
use nearfar_report::survey::{Derived, Verbosity, parts};
use nearfar_survey::Survey;
use nearfar_survey::document_kind::{MAX_OF_A_SCHEMA, schema_of};
use nearfar_view::terminal::exit::WrongUsage;
use nearfar_view::terminal::{output, screen};

use super::exported::{ExportFile, not_here};
use super::{links, sweep};
use crate::input;

/// Show a saved survey, sweep or diagnosis again.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar show before.json
  nearfar show before.json --part caches   one instrument, with its curve
  nearfar show before.json --part classes  groups of equally far memory
  nearfar show before.json --csv > cells.csv
  nearfar show before.json --as hwloc      figures for lstopo, as a script
  nearfar show sweep.json                  runs of every placement")]
pub(crate) struct ShowCommand {
    /// Survey ('nearfar surveys' lists them), sweep, or output of 'diagnose --json'
    file: PathBuf,
    /// One part of a survey in full: latency, bandwidth, loaded, core-to-core, caches, interleave,
    /// io, hidden, classes, links or claims_vs_measured [default: a summary of all]
    #[arg(long, value_name = "NAME", value_parser = shown_part, conflicts_with = "json")]
    part: Option<ShownPart>,
    /// Print the document's JSON.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print its cells, or runs, as CSV.
    #[arg(long)]
    csv: bool,
    /// Show p, standard errors, rounds and controls, and all warnings with their remedies.
    #[arg(long)]
    verbose: bool,
    /// Print a survey for another program: hwloc, a script of hwloc-annotate [default: as text]
    #[arg(long = "as", value_name = "SYSTEM", value_parser = system,
        conflicts_with_all = ["part", "json", "csv", "verbose"])]
    system: Option<ExportSystem>,
    #[command(flatten)]
    export: ExportFile,
}

/// A program that reads an exported survey.
#[derive(Clone, Copy, Debug)]
enum ExportSystem {
    Hwloc,
}

fn system(name: &str) -> Result<ExportSystem, String> {
    if name == "hwloc" { Ok(ExportSystem::Hwloc) } else { Err(not_here(name, &["hwloc"])) }
}

impl ShowCommand {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match schema_of(&self.file) {
            Some(schema) if schema.starts_with("nearfar.sweep/") => self.show_sweep(),
            Some(schema) if schema.starts_with("nearfar.diagnosis/") => self.show_diagnosis(),
            Some(schema) if !schema.starts_with("nearfar.survey/") => Err(self.other(&schema)),
            _ => self.show_survey(),
        }
    }

    fn show_survey(&self) -> anyhow::Result<()> {
        if let Some(ExportSystem::Hwloc) = self.system {
            return self.export_to_hwloc();
        }
        if let Some(part) = self.part {
            return self.show_part(&input::read(&self.file, nearfar_survey::read)?, part);
        }
        let mut survey = input::read(&self.file, nearfar_survey::read)?;
        if self.json {
            return Ok(output::json(&survey)?);
        }
        // A third of a large survey, and none of them is shown.
        survey.strip_samples();
        if self.csv {
            Ok(output::text(&nearfar_report::survey::csv(&survey))?)
        } else {
            Ok(screen::print(&nearfar_report::survey::text(&survey, self.verbosity()))?)
        }
    }

    fn export_to_hwloc(&self) -> anyhow::Result<()> {
        let survey = input::read(&self.file, nearfar_survey::read)?;
        let script = hwloc::script(&survey).with_context(|| {
            format!(
                "{} has neither latency nor bandwidth from CPUs to nodes: 'nearfar survey' \
                 measures latency",
                self.file.display()
            )
        })?;
        self.export.write(&script, std::slice::from_ref(&self.file))
    }

    fn show_sweep(&self) -> anyhow::Result<()> {
        self.refuse_part("a sweep")?;
        let sweep = input::read(&self.file, nearfar_sweep::read)?;
        sweep::print(&sweep, self.json, self.csv)
    }

    fn show_diagnosis(&self) -> anyhow::Result<()> {
        self.refuse_part("a diagnosis")?;
        if self.csv {
            return Err(WrongUsage("a diagnosis has no cells: omit --csv".to_owned()).into());
        }
        let text = input::bytes(&self.file)
            .with_context(|| format!("cannot read {}", self.file.display()))?;
        let diagnosis: Diagnosis = serde_json::from_slice(&text)
            .with_context(|| format!("{} is damaged", self.file.display()))?;
        if self.json {
            Ok(output::json(&diagnosis)?)
        } else {
            Ok(output::text(&nearfar_diagnose::text::text(&diagnosis))?)
        }
    }

    /// The error for a document of another command.
    fn other(&self, schema: &str) -> anyhow::Error {
        let start: String = schema.chars().take(MAX_OF_A_SCHEMA).collect();
        anyhow!(
            "{} is no survey, sweep or diagnosis: its schema is '{start}'; for text, repeat its \
             command without --json",
            self.file.display()
        )
    }

    fn refuse_part(&self, document: &str) -> Result<(), WrongUsage> {
        if self.system.is_some() {
            return Err(WrongUsage(format!(
                "{document} has no figures of memory: --as is for surveys"
            )));
        }
        match self.part {
            Some(part) => Err(WrongUsage(format!(
                "{document} has no parts: --part {} is for surveys",
                part.name()
            ))),
            None => Ok(()),
        }
    }

    fn verbosity(&self) -> Verbosity {
        Verbosity::new(self.verbose)
    }

    fn show_part(&self, survey: &Survey, shown_part: ShownPart) -> anyhow::Result<()> {
        check_part(survey, shown_part)?;
        let verbosity = self.verbosity();
        Ok(match (shown_part, self.csv) {
            (ShownPart::Measured(part), true) => {
                output::text(&nearfar_report::survey::part_csv(survey, part))?;
            }
            (ShownPart::Derived(part), true) => {
                output::text(&nearfar_report::survey::derived_csv(survey, part))?;
            }
            (ShownPart::Measured(part), false) => {
                screen::print(&nearfar_report::survey::part_text(survey, part, verbosity))?;
            }
            (ShownPart::Derived(part), false) => {
                screen::print(&nearfar_report::survey::derived_text(survey, part, verbosity))?;
            }
        })
    }
}

/// A part of a survey: an instrument's, or what follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ShownPart {
    Measured(Instrument),
    Derived(Derived),
}

impl ShownPart {
    const fn name(self) -> &'static str {
        match self {
            Self::Measured(part) => part.name(),
            Self::Derived(part) => part.name(),
        }
    }

    fn from_survey(survey: &Survey) -> Vec<Self> {
        let measured = survey.measured().into_iter().map(Self::Measured);
        measured.chain(Derived::from_survey(survey).into_iter().map(Self::Derived)).collect()
    }
}

/// A part that the survey does not have is wrong usage.
fn check_part(survey: &Survey, shown_part: ShownPart) -> anyhow::Result<()> {
    if !ShownPart::from_survey(survey).contains(&shown_part) {
        let there: Vec<&str> =
            ShownPart::from_survey(survey).into_iter().map(ShownPart::name).collect();
        let why = match shown_part {
            ShownPart::Measured(_) => String::new(),
            // Nothing was claimed that could be checked.
            ShownPart::Derived(_) if survey.classes.is_some() => String::new(),
            ShownPart::Derived(_) => format!(" ({})", no_links(&links::why_no_nodes(survey))),
        };
        let name = shown_part.name();
        return Err(WrongUsage(format!(
            "this survey has no part '{name}'{why}: it has {}",
            there.join(", ")
        ))
        .into());
    }
    Ok(())
}

fn shown_part(name: &str) -> Result<ShownPart, String> {
    let measured = parts().find(|part| part.name() == name).map(ShownPart::Measured);
    let all =
        || parts().map(Instrument::name).chain(Derived::ALL.map(Derived::name)).collect::<Vec<_>>();
    measured
        .or_else(|| Derived::from_name(name).map(ShownPart::Derived))
        .ok_or_else(|| format!("there is no part '{name}': choose one of {}", all().join(", ")))
}
