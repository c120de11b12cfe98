//! `nearfar show`: saved surveys; of a file or a number, its document as text.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::Args;
use nearfar_diagnose::Diagnosis;
use nearfar_live::explain::{OBJECTS_SCHEMA, RESPONSE_SCHEMA, text};
use nearfar_model::Instrument;
use nearfar_report::export::hwloc;
use nearfar_report::links::reasons::no_links;
use nearfar_report::survey::{Derived, Verbosity, parts};
use nearfar_survey::Survey;
use nearfar_survey::document_kind::{MAX_OF_A_SCHEMA, schema_of};
use nearfar_view::terminal::exit::WrongUsage;
use nearfar_view::terminal::screen::Screen;
use nearfar_view::terminal::{output, screen};
use serde::Serialize;

use super::explain::{read_objects, read_response};
use super::exported::{ExportFile, not_here};
use super::{links, saved, sweep};
use crate::named_value::NamedValue;
use crate::{document_file, input};

/// List saved surveys, or show one, a sweep or another result again.
///
/// Without FILE: the list, with numbers that 'show', 'compare', 'plot', 'links' and 'report' take.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar show                             the list of saved surveys
  nearfar show 3                           the third of them
  nearfar show before.json
  nearfar show before.json --part caches   one instrument, with its curve
  nearfar show before.json --part classes  groups of equally far memory
  nearfar show before.json --csv > cells.csv
  nearfar show before.json --as hwloc      figures for lstopo, as a script
  nearfar show sweep.json                  runs of every placement
  nearfar show response.json               what remote memory costs a program")]
pub(crate) struct ShowCommand {
    /// Survey (a file, or its number in the list), sweep, file of 'explain -o', or output of
    /// 'diagnose --json'
    /// [default: the list; with --part, --csv or --as the newest saved survey]
    file: Option<PathBuf>,
    /// One part of a survey in full: latency, bandwidth, loaded, core-to-core, caches, interleave,
    /// io, hidden, classes, links or claims_vs_measured [default: a summary of all]
    #[arg(long, value_name = "NAME", conflicts_with = "json", hide_possible_values = true,
          value_parser = NamedValue { parse: shown_part, names: part_names })]
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
        if self.file.is_none() && self.part.is_none() && !self.csv && self.system.is_none() {
            return saved::list(self.json);
        }
        let file = &document_file::named_or_newest(self.file.as_deref())?;
        match schema_of(file) {
            Some(schema) if schema.starts_with("nearfar.sweep/") => self.show_sweep(file),
            Some(schema) if schema.starts_with("nearfar.diagnosis/") => self.show_diagnosis(file),
            Some(schema) if schema == RESPONSE_SCHEMA => {
                let document = read_response(file)?;
                let csv = || text::response_csv(&document);
                self.show_measured(&document, csv, || text::response_screen(&document))
            }
            Some(schema) if schema == OBJECTS_SCHEMA => {
                let document = read_objects(file)?;
                let csv = || text::objects_csv(&document);
                self.show_measured(&document, csv, || text::objects_screen(&document))
            }
            Some(schema) if !schema.starts_with("nearfar.survey/") => Err(other(file, &schema)),
            _ => self.show_survey(file),
        }
    }

    fn show_survey(&self, file: &Path) -> anyhow::Result<()> {
        if let Some(ExportSystem::Hwloc) = self.system {
            return self.export_to_hwloc(file);
        }
        if let Some(part) = self.part {
            return self.show_part(&input::read(file, nearfar_survey::read)?, part);
        }
        let mut survey = input::read(file, nearfar_survey::read)?;
        if self.json {
            return Ok(output::json(&survey)?);
        }
        // A third of a large survey, and none of them is shown.
        survey.strip_samples();
        if self.csv {
            Ok(output::data(&nearfar_report::survey::csv(&survey))?)
        } else {
            Ok(screen::print(&nearfar_report::survey::text(&survey, self.verbosity()))?)
        }
    }

    fn export_to_hwloc(&self, file: &Path) -> anyhow::Result<()> {
        let survey = input::read(file, nearfar_survey::read)?;
        let script = hwloc::script(&survey).with_context(|| {
            format!(
                "{} has neither latency nor bandwidth from CPUs to nodes: 'nearfar survey' \
                 measures latency",
                file.display()
            )
        })?;
        self.export.write(&script, &[file.to_owned()])
    }

    fn show_sweep(&self, file: &Path) -> anyhow::Result<()> {
        self.refuse_part("a sweep")?;
        let sweep = input::read(file, nearfar_sweep::read)?;
        sweep::print(&sweep, self.json, self.csv)
    }

    fn show_diagnosis(&self, file: &Path) -> anyhow::Result<()> {
        self.refuse_part("a diagnosis")?;
        if self.csv {
            return Err(WrongUsage("a diagnosis has no cells: omit --csv".to_owned()).into());
        }
        let text = input::bytes(file).with_context(|| format!("cannot read {}", file.display()))?;
        let diagnosis: Diagnosis = serde_json::from_slice(&text)
            .with_context(|| format!("{} is damaged", file.display()))?;
        if self.json {
            Ok(output::json(&diagnosis)?)
        } else {
            Ok(screen::print(&nearfar_diagnose::text::text(&diagnosis))?)
        }
    }

    /// A file of 'explain'.
    fn show_measured(
        &self,
        document: &impl Serialize,
        csv: impl FnOnce() -> String,
        text: impl FnOnce() -> Screen,
    ) -> anyhow::Result<()> {
        self.refuse_part("a file of 'explain'")?;
        match (self.json, self.csv) {
            (true, _) => Ok(output::json(document)?),
            (_, true) => Ok(output::data(&csv())?),
            _ => Ok(screen::print(&text())?),
        }
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
        match (shown_part, self.csv) {
            (ShownPart::Measured(part), true) => {
                output::data(&nearfar_report::survey::part_csv(survey, part))?;
            }
            (ShownPart::Derived(part), true) => {
                output::data(&nearfar_report::survey::derived_csv(survey, part))?;
            }
            (ShownPart::Measured(part), false) => {
                screen::print(&nearfar_report::survey::part_text(survey, part, verbosity))?;
            }
            (ShownPart::Derived(part), false) => {
                screen::print(&nearfar_report::survey::derived_text(survey, part, verbosity))?;
            }
        }
        Ok(())
    }
}

/// The error for a document of another command.
fn other(file: &Path, schema: &str) -> anyhow::Error {
    let start: String = schema.chars().take(MAX_OF_A_SCHEMA).collect();
    anyhow!(
        "{} is no survey, sweep, diagnosis or file of 'explain': its schema is '{start}'; for \
         text, repeat its command without --json",
        file.display()
    )
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

fn part_names() -> Vec<&'static str> {
    parts().map(Instrument::name).chain(Derived::ALL.map(Derived::name)).collect()
}

fn shown_part(name: &str) -> Result<ShownPart, String> {
    let measured = parts().find(|part| part.name() == name).map(ShownPart::Measured);
    measured.or_else(|| Derived::from_name(name).map(ShownPart::Derived)).ok_or_else(|| {
        format!("there is no part '{name}': choose one of {}", part_names().join(", "))
    })
}
