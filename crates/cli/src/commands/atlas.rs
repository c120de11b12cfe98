//! `nearfar atlas`: published figures by CPU model, and a survey beside them.

mod submit;

use std::path::PathBuf;

use anyhow::bail;
use clap::{Args, Subcommand};
use nearfar_machine::{Source, Topology};
use nearfar_report::{atlas, pictures};
use nearfar_survey::CpuNumbers;
use nearfar_survey::atlas::{Atlas, AtlasDocument, AtlasRow, MachineFigures, SCHEMA, compare};
use nearfar_view::draw::{Picture, Theme, standalone};
use nearfar_view::terminal::{output, screen};

use crate::input;
use crate::output_path::OutputPath;
use crate::plotting::{png, terminal};
use crate::whole_file::{self, Force, OutputFile};

/// Show published figures by CPU model, and a survey beside them.
///
/// Each row has its source, tool and method. Figures of different methods differ by up to 40 %.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  nearfar atlas                        all rows, those of this CPU first
  nearfar atlas 8280                   a model: latencies, drawing, sources
  nearfar atlas Cascade Lake --csv     a family, for a spreadsheet
  nearfar atlas --survey before.json   a survey beside the rows of its CPU
  nearfar atlas 7742 -o epyc-7742.svg  a picture; .png makes a PNG
  nearfar atlas submit before.json     a survey for the atlas"
)]
pub(crate) struct AtlasCommand {
    #[command(subcommand)]
    action: Option<AtlasAction>,
    /// Words of a CPU model or family: 8280, 'EPYC 7742', Skylake [default: all]
    #[arg(value_name = "MODEL")]
    model: Vec<String>,
    /// Survey to show beside the rows of its CPU [default: none]
    #[arg(long, value_name = "FILE")]
    survey: Option<PathBuf>,
    /// Picture of latencies to write: SVG, or PNG by its name; '-' is standard output [default:
    /// characters, where a model or a survey is named]
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["json", "csv"])]
    output: Option<OutputPath>,
    #[command(flatten)]
    force: Force,
    /// Print JSON (nearfar.atlas/1)
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV: a line for each row
    #[arg(long)]
    csv: bool,
}

/// What is done for the atlas.
#[derive(Debug, Subcommand)]
enum AtlasAction {
    Submit(submit::SubmitCommand),
}

/// All rows, those of this machine's CPU first, where it is known.
fn with_own_first(rows: &[&AtlasRow], atlas: &Atlas) -> screen::Screen {
    let topology = Topology::read(&Source::live()).ok();
    let cpu = topology.and_then(|one| Some((one.identity.model?, one.cpu_family)));
    let Some((model, family)) = cpu else { return atlas::screen(rows, None, None) };
    let own = atlas.for_cpu(&model, family.map(CpuNumbers::from).as_ref());
    atlas::screen_of_machine(rows, &model, &own)
}

/// Sharp on slides and on screens of twice the density.
const PNG_SCALE: f64 = 2.0;

impl AtlasCommand {
    pub(crate) fn run(mut self) -> anyhow::Result<()> {
        if let Some(AtlasAction::Submit(submit)) = self.action.take() {
            return submit.run();
        }
        let atlas = Atlas::built_in();
        let survey = self.survey.as_ref().map(|file| input::read(file, nearfar_survey::read));
        let machine = survey.transpose()?.as_ref().map(MachineFigures::for_survey);
        let rows = self.rows(atlas, machine.as_ref())?;
        if let Some(path) = &self.output {
            return self.draw(path, &rows, machine.as_ref());
        }
        let comparison = machine.as_ref().map(|machine| compare(machine, atlas));
        if self.json {
            return Ok(output::json(&AtlasDocument { schema: SCHEMA, rows, comparison })?);
        }
        if self.csv {
            return Ok(output::data(&atlas::csv(&rows))?);
        }
        if machine.is_none() && self.model.is_empty() {
            return Ok(screen::print(&with_own_first(&rows, atlas))?);
        }
        let picture = pictures::atlas(&rows, machine.as_ref());
        let drawing = picture.map(|dots| {
            pictures::characters(vec![&dots as &dyn Picture], &[], &terminal::screen())
        });
        let drawing = drawing.or_else(|| Some(String::new()));
        Ok(screen::print(&atlas::screen(&rows, comparison.as_ref(), drawing))?)
    }

    /// The rows that the words name; of a survey without words those of its CPU.
    fn rows<'a>(
        &self,
        atlas: &'a Atlas,
        machine: Option<&MachineFigures>,
    ) -> anyhow::Result<Vec<&'a AtlasRow>> {
        let words = self.model.join(" ");
        if let (Some(machine), true) = (machine, words.is_empty()) {
            let found = atlas.for_cpu(&machine.model, machine.cpuid.as_ref());
            return Ok(if found.of_model.is_empty() { found.of_family } else { found.of_model });
        }
        let rows = atlas.search(&words);
        if rows.is_empty() {
            bail!("no published row is of '{words}': 'nearfar atlas' lists all");
        }
        Ok(rows)
    }

    fn draw(
        &self,
        output: &OutputPath,
        rows: &[&AtlasRow],
        machine: Option<&MachineFigures>,
    ) -> anyhow::Result<()> {
        let Some(picture) = pictures::atlas(rows, machine) else {
            bail!("these rows have no latency to draw: 'nearfar atlas MODEL' shows what they have");
        };
        let svg = standalone(&picture, Theme::Light);
        let Some(path) = output.file() else { return Ok(output::bytes(svg.as_bytes())?) };
        let is_png = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("png"));
        let bytes = if is_png { png(&svg, PNG_SCALE)? } else { svg.into_bytes() };
        whole_file::spare(path, self.survey.as_slice())?;
        let file = OutputFile::create(path, self.force.if_exists())?;
        let path = file.keep(|out| out.write_all(&bytes))?;
        output::status(&format!("saved as {}", path.display()));
        Ok(())
    }
}
