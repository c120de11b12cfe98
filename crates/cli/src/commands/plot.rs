//! `nearfar plot KIND FILE`: one picture of a survey, a sweep or this machine, as SVG, PNG or
//! characters.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;
use nearfar_live::explain::text::{objects_picture, response_picture};
use nearfar_model::Instrument;
use nearfar_report::pictures::{PictureKind, SurveyPicture, SurveyPictures, name_machine};
use nearfar_survey::Survey;
use nearfar_survey::document_kind::DocumentKind;
use nearfar_sweep::pictures::SweepKind;
use nearfar_view::draw::{Picture, Screen, Theme, standalone};
use nearfar_view::terminal::exit::WrongUsage;
use nearfar_view::terminal::output;
use nearfar_view::text::csv_text::records_text;

use super::explain::{read_objects, read_response};
use super::ranged::from_to;
use crate::named_value::NamedValue;
use crate::output_path::OutputPath;
use crate::plotting::{pair_table, png, terminal, unmeasured};
use crate::whole_file::{self, Force, OutputFile};
use crate::{document_file, input};

/// Draw one picture as text, SVG or PNG.
///
/// Of a survey: machine, latency, links, bandwidth, loaded, core-to-core, caches, interleave, io,
/// gpu, hidden, disturbances. Of a sweep: placements, front, scaling. Of a file of 'explain
/// --response': response; of '--objects': objects. Of a CSV matrix: core-to-core. Without a file:
/// the plan of this machine ('machine'), with its caches, nodes and devices.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar plot latency SURVEY                        in this terminal
  nearfar plot machine -o machine.svg                this machine, not measured
  nearfar plot machine --root machine.tar.gz         a captured machine
  nearfar plot machine --anonymous -o machine.png    without kernel and day
  nearfar plot caches SURVEY -o caches.svg           for papers and slides
  nearfar plot bandwidth SURVEY --nth 2 -o copy.svg  the second of several
  nearfar plot core-to-core pairs.csv -o pairs.svg   of 'core-to-core --csv'
  nearfar plot placements SWEEP -o runs.png          PNG; --scale 4 for print
  nearfar plot latency SURVEY --text | less          characters, not SVG
  nearfar plot latency SURVEY --csv                  its figures as a table")]
pub(crate) struct Plot {
    /// Picture
    #[arg(value_parser = NamedValue { parse: |name| Ok(name.to_owned()), names: kinds },
          hide_possible_values = true)]
    kind: String,
    /// A survey (a file, or a number of 'nearfar show') or a sweep; for core-to-core also a CSV
    /// file [default: the newest saved survey; for 'machine', this machine]
    file: Option<PathBuf>,
    /// Draw a captured machine: a folder, an archive (.tar, .tar.gz, .tar.bz2, .tar.xz), XML of
    /// lstopo or NCCL, or a file of what its programs printed; several with --root again [default:
    /// this machine]
    #[arg(long, value_name = "PATH", conflicts_with = "file")]
    root: Vec<PathBuf>,
    /// Picture to write; '-' is standard output; .png implies --png, .csv --csv [default: text in
    /// a terminal, SVG in a pipe]
    #[arg(short, long, value_name = "FILE")]
    output: Option<OutputPath>,
    #[command(flatten)]
    force: Force,
    /// Leave host, kernel and day out of the plan's legend
    #[arg(long)]
    anonymous: bool,
    /// Number of the picture, if there are several [default: the first; as text all]
    #[arg(long, value_name = "N")]
    nth: Option<usize>,
    /// Draw light lines on a dark background
    #[arg(long)]
    dark: bool,
    /// Make a PNG, with its own fonts
    #[arg(long, conflicts_with = "text")]
    png: bool,
    /// Pixels of the PNG for each pixel of the SVG, 0.25 to 8 [default: 2]
    #[arg(long, value_name = "N", value_parser = from_to(0.25, 8.0), conflicts_with = "text")]
    scale: Option<f64>,
    /// Draw with characters, also to a pipe or a file
    #[arg(long)]
    text: bool,
    /// Print the picture's figures as CSV
    #[arg(long, conflicts_with_all = ["text", "png", "scale", "dark"])]
    csv: bool,
}

/// The picture of 'nearfar explain --response'.
const RESPONSE: &str = "response";
/// The picture of 'nearfar explain --objects'.
const OBJECTS: &str = "objects";

/// Every kind of picture.
fn kinds() -> Vec<&'static str> {
    let surveys = PictureKind::all().into_iter().map(PictureKind::name);
    surveys.chain(SweepKind::ALL.map(SweepKind::name)).chain([RESPONSE, OBJECTS]).collect()
}

/// Pictures of a kind, and notes on what they do not show.
struct DrawnPictures {
    pictures: Vec<Box<dyn Picture>>,
    notes: Vec<String>,
    /// The machine, where a picture does not describe it.
    machine: Option<String>,
}

/// Sharp on slides and on screens of twice the density.
const DEFAULT_SCALE: f64 = 2.0;

impl Plot {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        if let Some(path) = self.named_file() {
            whole_file::spare(path, self.file.as_slice())?;
            self.refuse_other_forms(path)?;
        }
        let as_png = self.wants(self.png, "png");
        if self.scale.is_some() && !as_png {
            return Err(WrongUsage("--scale is for PNG: add --png, or -o FILE.png".into()).into());
        }
        let DrawnPictures { pictures, notes, machine } = self.draw()?;
        let mut chosen = self.choose(pictures)?;
        for picture in &mut chosen {
            machine.iter().for_each(|machine| name_machine(picture.as_mut(), machine));
        }
        let as_csv = self.wants(self.csv, "csv");
        if as_csv && as_png {
            return Err(WrongUsage("a table is no PNG: name a .csv file".into()).into());
        }
        let in_characters =
            self.text || (self.output.is_none() && !as_png && io::stdout().is_terminal());
        if in_characters && !as_csv {
            return self.characters(&chosen, &notes);
        }
        let picture = chosen[0].as_ref();
        if chosen.len() > 1 {
            output::status(&format!(
                "{} pictures: this is the first, '{}'; --nth has the others",
                chosen.len(),
                picture.heading().title
            ));
        }
        if as_csv {
            let table = picture.table();
            let records = std::iter::once(table.columns).chain(table.rows);
            return self.write(records_text(records).as_bytes(), false);
        }
        let svg = standalone(picture, if self.dark { Theme::Dark } else { Theme::Light });
        let bytes =
            if as_png { png(&svg, self.scale.unwrap_or(DEFAULT_SCALE))? } else { svg.into_bytes() };
        self.write(&bytes, as_png)
    }

    /// By option, or by the name of the file.
    fn wants(&self, is_asked: bool, form: &str) -> bool {
        let has_form =
            |path: &Path| path.extension().is_some_and(|end| end.eq_ignore_ascii_case(form));
        is_asked || self.named_file().is_some_and(has_form)
    }

    /// The file that it goes to.
    fn named_file(&self) -> Option<&Path> {
        self.output.as_ref().and_then(OutputPath::file)
    }

    /// A name that promises another form than the one that would be written.
    fn refuse_other_forms(&self, path: &Path) -> anyhow::Result<()> {
        const OTHERS: [&str; 9] =
            ["pdf", "eps", "ps", "jpg", "jpeg", "gif", "webp", "html", "json"];
        let end =
            path.extension().and_then(|end| end.to_str()).unwrap_or_default().to_ascii_lowercase();
        if !OTHERS.contains(&end.as_str()) {
            return Ok(());
        }
        let how = "name an .svg or a .png (rsvg-convert -f pdf makes a PDF of an SVG; 'nearfar \
                   report' makes pages)";
        Err(WrongUsage(format!("{}: pictures are SVG, PNG or characters: {how}", path.display()))
            .into())
    }

    fn draw(&self) -> anyhow::Result<DrawnPictures> {
        if self.file.is_none() && PictureKind::from_name(&self.kind) == Some(PictureKind::Machine) {
            return self.draw_machine();
        }
        self.refuse_root()?;
        if self.anonymous && PictureKind::from_name(&self.kind) != Some(PictureKind::Machine) {
            return Err(WrongUsage(format!(
                "--anonymous is for 'machine': '{}' names no host, kernel or day",
                self.kind
            ))
            .into());
        }
        if self.kind == RESPONSE {
            return self.draw_response();
        }
        if self.kind == OBJECTS {
            return self.draw_objects();
        }
        let file = &document_file::named_or_newest(self.file.as_deref())?;
        if PictureKind::from_name(&self.kind) == Some(PictureKind::Part(Instrument::CoreToCore)) {
            if let Some(maps) = input::read(file, pair_table::maps)? {
                return Ok(maps.into());
            }
        }
        match DocumentKind::from_path(file)? {
            DocumentKind::Survey => self.draw_survey(file),
            DocumentKind::Sweep => self.draw_sweep(file),
        }
    }

    /// A captured machine is not measured.
    fn refuse_root(&self) -> Result<(), WrongUsage> {
        match self.root.first() {
            Some(_) => Err(WrongUsage(format!(
                "a picture '{}' needs measurements, and a captured machine has none: only \
                 'machine' is drawn with --root",
                self.kind
            ))),
            None => Ok(()),
        }
    }

    fn draw_machine(&self) -> anyhow::Result<DrawnPictures> {
        let mut survey = unmeasured::machine(&self.root)?;
        self.make_anonymous(&mut survey);
        let drawn = PictureKind::Machine.draw(&survey, None);
        if drawn.pictures.is_empty() {
            bail!("{}", drawn.notes.first().map_or("there is nothing to draw", String::as_str));
        }
        Ok(drawn.into())
    }

    fn make_anonymous(&self, survey: &mut Survey) {
        if self.anonymous {
            survey.machine.host = None;
            survey.machine.board = None;
            survey.machine.kernel = None;
            survey.provenance.started.clear();
        }
    }

    fn draw_survey(&self, file: &Path) -> anyhow::Result<DrawnPictures> {
        let Some(kind) = PictureKind::from_name(&self.kind) else {
            let kinds: Vec<&str> = PictureKind::all().into_iter().map(PictureKind::name).collect();
            return Err(self.unknown("a survey", &kinds));
        };
        let mut survey = input::read(file, nearfar_survey::read)?;
        self.make_anonymous(&mut survey);
        let machine = (kind != PictureKind::Machine).then(|| survey.machine.short_name());
        let drawn = kind.draw(&survey, None);
        if drawn.pictures.is_empty() {
            let there: Vec<&str> =
                PictureKind::from_survey(&survey).into_iter().map(PictureKind::name).collect();
            return Err(self.absent(file, &drawn.notes, &there));
        }
        Ok(DrawnPictures { machine, ..drawn.into() })
    }

    fn draw_response(&self) -> anyhow::Result<DrawnPictures> {
        let Some(file) = &self.file else {
            return Err(WrongUsage(
                "name a file of 'nearfar explain TARGET --response -o FILE'".to_owned(),
            )
            .into());
        };
        let document = read_response(file)?;
        let Some(picture) = response_picture(&document) else {
            bail!("{}: its response has no result, so there is nothing to draw", file.display());
        };
        let pictures: Vec<Box<dyn Picture>> = vec![Box::new(picture)];
        Ok(DrawnPictures { pictures, notes: Vec::new(), machine: document.machine })
    }

    fn draw_objects(&self) -> anyhow::Result<DrawnPictures> {
        let Some(file) = &self.file else {
            let what = "name a file of 'nearfar explain TARGET --objects -o FILE'";
            return Err(WrongUsage(what.to_owned()).into());
        };
        let document = read_objects(file)?;
        let Some(picture) = objects_picture(&document) else {
            bail!("{}: no object has a result, so there is nothing to draw", file.display());
        };
        let pictures: Vec<Box<dyn Picture>> = vec![Box::new(picture)];
        Ok(DrawnPictures { pictures, notes: Vec::new(), machine: document.machine })
    }

    fn draw_sweep(&self, file: &Path) -> anyhow::Result<DrawnPictures> {
        let Some(kind) = SweepKind::from_name(&self.kind) else {
            return Err(self.unknown("a sweep", &SweepKind::ALL.map(SweepKind::name)));
        };
        let sweep = input::read(file, nearfar_sweep::read)?;
        let pictures: Vec<Box<dyn Picture>> = kind.draw(&sweep).into_iter().collect();
        if pictures.is_empty() {
            let there: Vec<&str> =
                SweepKind::from_sweep(&sweep).into_iter().map(SweepKind::name).collect();
            return Err(self.absent(file, &[], &there));
        }
        Ok(DrawnPictures { pictures, notes: Vec::new(), machine: sweep.machine.model })
    }

    fn unknown(&self, of: &str, kinds: &[&str]) -> anyhow::Error {
        WrongUsage(format!(
            "there is no picture '{}' of {of}: choose one of {}",
            self.kind,
            kinds.join(", ")
        ))
        .into()
    }

    fn absent(&self, file: &Path, notes: &[String], there: &[&str]) -> anyhow::Error {
        let why = notes.first().map_or_else(String::new, |why| format!(" ({why})"));
        let there = if there.is_empty() { "nothing to draw".to_owned() } else { there.join(", ") };
        WrongUsage(format!(
            "{} has no picture '{}'{why}: it has {there}",
            file.display(),
            self.kind
        ))
        .into()
    }

    /// The one that was asked for, or all of them.
    fn choose(&self, mut all: Vec<Box<dyn Picture>>) -> anyhow::Result<Vec<Box<dyn Picture>>> {
        let Some(nth) = self.nth else { return Ok(all) };
        match nth.checked_sub(1).filter(|index| *index < all.len()) {
            Some(index) => Ok(vec![all.swap_remove(index)]),
            None => {
                let titles: Vec<String> = all
                    .iter()
                    .enumerate()
                    .map(|(at, one)| format!("{} '{}'", at + 1, one.heading().title))
                    .collect();
                Err(WrongUsage(format!(
                    "there is no picture {nth} of '{}': {}",
                    self.kind,
                    titles.join(", ")
                ))
                .into())
            }
        }
    }

    fn characters(&self, chosen: &[Box<dyn Picture>], notes: &[String]) -> anyhow::Result<()> {
        let screen = if self.named_file().is_some() { Screen::PLAIN } else { terminal::screen() };
        let chosen = chosen.iter().map(AsRef::as_ref);
        let text = nearfar_report::pictures::characters(chosen, notes, &screen);
        match self.named_file() {
            Some(_) => {
                self.write(anstream::adapter::strip_str(&text).to_string().as_bytes(), false)
            }
            None => Ok(output::text(&text)?),
        }
    }

    /// Into a file that is whole or absent, or to standard output.
    fn write(&self, bytes: &[u8], png: bool) -> anyhow::Result<()> {
        match self.named_file() {
            Some(path) => {
                let file = OutputFile::create(path, self.force.if_exists())?;
                let path = file.keep(|out| out.write_all(bytes))?;
                output::status(&format!(
                    "saved as {} ({} KiB)",
                    path.display(),
                    bytes.len().div_ceil(1024)
                ));
                Ok(())
            }
            None if png && io::stdout().is_terminal() => Err(WrongUsage(
                "a terminal cannot show PNG: name a file with -o, or use a pipe".to_owned(),
            )
            .into()),
            None if png => whole_file::print(bytes),
            None => Ok(output::bytes(bytes)?),
        }
    }
}

impl From<SurveyPictures> for DrawnPictures {
    fn from(SurveyPictures { pictures, notes, .. }: SurveyPictures) -> Self {
        let pictures = pictures.into_iter().map(SurveyPicture::into_picture).collect();
        Self { pictures, notes, machine: None }
    }
}
