//! `nearfar plot KIND FILE`: one picture of a survey or a sweep, as SVG, PNG or characters.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use clap::Args;
use nearfar_draw::{Picture, Screen, Theme, standalone};
use nearfar_report::pictures::Kind;
use nearfar_report::pictures::sweep::SweepKind;
use nearfar_terminal::exit::WrongUsage;
use nearfar_terminal::output;

use super::document_kind::DocumentKind;
use super::kept_survey;
use crate::input;
use crate::plotting::{renderer, terminal};
use crate::whole_file::{self, Force, WholeFile, is_standard_output};

/// Draw one picture as text, SVG or PNG.
///
/// Of a survey or a sweep.
#[derive(Debug, Args)]
#[command(after_help = "\
Kinds of a survey: machine, latency, links, bandwidth, loaded, core-to-core, caches, interleave, \
                        hidden, disturbances.
Kinds of a sweep: placements, front, scaling.

Examples:
  nearfar plot latency SURVEY                            in this terminal, in colours where it has \
                        them
  nearfar plot caches SURVEY -o caches.svg               for papers and slides
  nearfar plot bandwidth SURVEY --nth 2 -o copy.svg      the second of several
  nearfar plot placements SWEEP --png -o runs.png        where rsvg-convert, resvg or inkscape is \
                        installed
  nearfar plot latency SURVEY | less                     SVG goes into pipes; characters with \
                        --text")]
pub(crate) struct Plot {
    /// What to draw.
    kind: String,
    /// The survey's or the sweep's file.
    file: PathBuf,
    /// Where to write it; '-' is standard output. A name that ends in .png asks for --png.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
    /// Which one, where a kind has several pictures, from 1.
    #[arg(long, value_name = "N")]
    nth: Option<usize>,
    /// Light ink on dark paper.
    #[arg(long)]
    dark: bool,
    /// Make a PNG, by rsvg-convert, resvg or inkscape, whichever is there.
    #[arg(long, conflicts_with = "text")]
    png: bool,
    /// Draw in characters, also into a pipe or a file.
    #[arg(long)]
    text: bool,
}

/// Pictures of a kind, each able to be drawn, and what they do not show.
struct Gallery {
    pictures: Vec<Box<dyn Picture>>,
    remarks: Vec<String>,
}

impl Plot {
    /// Reads, draws, writes.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        if let Some(path) = self.named_file() {
            whole_file::spare(path, std::slice::from_ref(&self.file))?;
            self.refuse_other_forms(path)?;
        }
        let gallery = self.gallery()?;
        let chosen = self.choose(&gallery)?;
        let is_asked_for =
            |path: &PathBuf| path.extension().is_some_and(|end| end.eq_ignore_ascii_case("png"));
        let png = self.png || self.output.as_ref().is_some_and(is_asked_for);
        let in_characters =
            self.text || (self.output.is_none() && !png && io::stdout().is_terminal());
        if in_characters {
            return self.characters(chosen, &gallery.remarks);
        }
        let picture = chosen[0];
        if chosen.len() > 1 {
            output::aside(&format!(
                "{} pictures: this is the first, '{}'; --nth has the others",
                chosen.len(),
                picture.heading().title
            ));
        }
        let svg = standalone(picture, if self.dark { Theme::Dark } else { Theme::Light });
        let bytes = if png { renderer::png(&svg)? } else { svg.into_bytes() };
        self.write(&bytes, png)
    }

    /// The file that it goes to.
    fn named_file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| !is_standard_output(path))
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

    fn gallery(&self) -> anyhow::Result<Gallery> {
        match DocumentKind::of(&self.file)? {
            DocumentKind::Survey => {
                let Some(kind) = Kind::from_name(&self.kind) else {
                    return Err(self.unknown(
                        "a survey",
                        &Kind::all().into_iter().map(Kind::name).collect::<Vec<_>>(),
                    ));
                };
                let survey = kept_survey::read(&self.file)?;
                let shown = kind.draw(&survey, None);
                if shown.pictures.is_empty() {
                    let there: Vec<&str> = Kind::of(&survey).into_iter().map(Kind::name).collect();
                    return Err(self.absent(&shown.remarks, &there));
                }
                Ok(Gallery {
                    pictures: shown
                        .pictures
                        .into_iter()
                        .map(nearfar_report::pictures::Drawn::into_picture)
                        .collect(),
                    remarks: shown.remarks,
                })
            }
            DocumentKind::Sweep => {
                let Some(kind) = SweepKind::from_name(&self.kind) else {
                    return Err(self.unknown("a sweep", &SweepKind::ALL.map(SweepKind::name)));
                };
                let sweep = input::read(&self.file, nearfar_sweep::read)?;
                let pictures: Vec<Box<dyn Picture>> = kind.draw(&sweep).into_iter().collect();
                if pictures.is_empty() {
                    let there: Vec<&str> =
                        SweepKind::of(&sweep).into_iter().map(SweepKind::name).collect();
                    return Err(self.absent(&[], &there));
                }
                Ok(Gallery { pictures, remarks: Vec::new() })
            }
        }
    }

    fn unknown(&self, of: &str, kinds: &[&str]) -> anyhow::Error {
        WrongUsage(format!(
            "there is no picture '{}' of {of}: choose of {}",
            self.kind,
            kinds.join(", ")
        ))
        .into()
    }

    fn absent(&self, remarks: &[String], there: &[&str]) -> anyhow::Error {
        let why = remarks.first().map_or_else(String::new, |why| format!(" ({why})"));
        let there = if there.is_empty() { "nothing to draw".to_owned() } else { there.join(", ") };
        WrongUsage(format!(
            "nothing of '{}' is in {}{why}: it has {there}",
            self.kind,
            self.file.display()
        ))
        .into()
    }

    /// The one that was asked for, or all of them.
    fn choose<'g>(&self, gallery: &'g Gallery) -> anyhow::Result<Vec<&'g dyn Picture>> {
        let all: Vec<&dyn Picture> = gallery.pictures.iter().map(AsRef::as_ref).collect();
        let Some(nth) = self.nth else { return Ok(all) };
        match nth.checked_sub(1).and_then(|index| all.get(index)) {
            Some(one) => Ok(vec![*one]),
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

    fn characters(&self, chosen: Vec<&dyn Picture>, remarks: &[String]) -> anyhow::Result<()> {
        let screen = if self.named_file().is_some() { Screen::PLAIN } else { terminal::screen() };
        let text = nearfar_report::pictures::characters(chosen, remarks, &screen);
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
                let file = WholeFile::create(path, self.force.if_exists())?;
                let path = file.keep(|out| out.write_all(bytes))?;
                output::aside(&format!(
                    "written to {} ({} KiB)",
                    path.display(),
                    bytes.len().div_ceil(1024)
                ));
                Ok(())
            }
            None if png && io::stdout().is_terminal() => Err(WrongUsage(
                "a PNG is nothing for a terminal: name a file with -o, or use a pipe".to_owned(),
            )
            .into()),
            None if png => whole_file::print(bytes),
            None => Ok(output::bytes(bytes)?),
        }
    }
}
