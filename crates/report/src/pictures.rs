//! The pictures of a survey: what [`nearfar_view::draw`] draws, made of the document's figures.
//!
//! A [`PictureKind`] is what a user asks for; each makes as many pictures as the survey has figures
//! for, with [notes](SurveyPictures::notes) on what it lacks. A figure that the document does not
//! have is nowhere made up here.

mod atlas;
pub(crate) mod changes;
pub(crate) mod disturbances;
pub(crate) mod figures;
mod links;
mod machine;
pub(crate) mod options;
mod pair_table;
mod scale;
pub(crate) mod survey_pictures;

use nearfar_model::Instrument;
use nearfar_survey::Survey;
use nearfar_view::draw::{Heading, Picture, Screen};
use nearfar_view::terminal::printable;
use nearfar_view::text::paragraph;

use crate::instruments::{self, parts};
pub use atlas::atlas;
pub use changes::Changes;
use options::PictureOptions;
pub use pair_table::core_to_core;
pub use scale::same_scale;
pub use survey_pictures::{Shades, SurveyPicture, SurveyPictures};

/// How the description of a picture begins whose figures no machine gave.
const REPLAYED: &str = "Replayed, not measured: ";

/// What a picture of a survey is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureKind {
    /// Packages, dies, cache groups, nodes.
    Machine,
    /// What an instrument measured.
    Part(Instrument),
    /// Which nodes are connected directly.
    Links,
    /// What was dropped, and when.
    Disturbances,
}

impl PictureKind {
    /// All of them, in the order of a page.
    pub fn all() -> Vec<Self> {
        let mut kinds: Vec<Self> = parts().map(Self::Part).collect();
        kinds.insert(0, Self::Machine);
        // Links are derived from latency.
        let latency = kinds.iter().position(|kind| *kind == Self::Part(Instrument::Latency));
        kinds.insert(latency.map_or(1, |at| at + 1), Self::Links);
        kinds.push(Self::Disturbances);
        kinds
    }

    /// The name by which users ask for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Machine => "machine",
            Self::Part(instrument) => instrument.name(),
            Self::Links => "links",
            Self::Disturbances => "disturbances",
        }
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|kind| kind.name() == name)
    }

    /// Its heading on a page.
    pub fn title(self) -> &'static str {
        match self {
            Self::Machine => "The machine",
            Self::Part(instrument) => instruments::title(instrument).unwrap_or_default(),
            Self::Links => "Links",
            Self::Disturbances => "Dropped samples",
        }
    }

    /// The kinds that a survey has pictures of.
    pub fn from_survey(survey: &Survey) -> Vec<Self> {
        Self::all()
            .into_iter()
            .filter(|kind| !kind.draw(survey, None).pictures.is_empty())
            .collect()
    }

    /// Its pictures. Cells that are among these changes, and real, are framed, with the change
    /// beneath the figure.
    pub fn draw(self, survey: &Survey, changes: Option<&Changes<'_>>) -> SurveyPictures {
        let options = PictureOptions { changes, seed: survey.provenance.seed };
        let mut drawn = match self {
            Self::Machine => machine::draw(survey),
            Self::Part(part) => drawn_part(survey, part, &options).unwrap_or_default(),
            Self::Links => links::draw(survey),
            Self::Disturbances => disturbances::draw(survey),
        };
        scale::scale_each(drawn.pictures.iter_mut());
        if survey.provenance.is_replayed() {
            drawn.pictures.iter_mut().for_each(|picture| mark_replayed(picture.picture_mut()));
        }
        drawn
    }
}

/// The pictures of an instrument's part of this survey; none where it has none.
fn drawn_part(
    survey: &Survey,
    instrument: Instrument,
    options: &PictureOptions<'_>,
) -> Option<SurveyPictures> {
    use crate::instruments::{
        bandwidth, caches, core_to_core, gpu, hidden, interleave, io, latency, loaded,
    };
    Some(match instrument {
        Instrument::Latency => latency::picture::draw(survey, options),
        Instrument::Bandwidth => bandwidth::picture::draw(survey.bandwidth.as_ref()?, options),
        Instrument::Loaded => loaded::picture::draw(survey.loaded.as_ref()?),
        Instrument::CoreToCore => {
            core_to_core::picture::draw(survey.core_to_core.as_ref()?, options)
        }
        Instrument::Caches => caches::picture::draw(survey.caches.as_ref()?),
        Instrument::Interleave => interleave::picture::draw(survey.interleave.as_ref()?),
        Instrument::Io => io::picture::draw(survey.io.as_ref()?),
        Instrument::Gpu => gpu::picture::draw(survey.gpu.as_ref()?),
        Instrument::Hidden => hidden::picture::draw(survey.hidden.as_ref()?),
        Instrument::PageSize => return None,
    })
}

/// Adds a machine's name to the title of a picture that stands alone.
pub fn name_machine(picture: &mut dyn Picture, machine: &str) {
    let title = &mut picture.heading_mut().title;
    *title = format!("{title} · {machine}");
}

/// Begins the description with what the figures are.
fn mark_replayed(picture: &mut dyn Picture) {
    let shows = &mut picture.heading_mut().shows;
    let mut letters = shows.chars();
    let first: String = letters.next().iter().flat_map(|first| first.to_lowercase()).collect();
    *shows = format!("{REPLAYED}{first}{}", letters.as_str());
}

/// Pictures in characters, each under its title and above the first sentence of its description:
/// the others are about marks that only drawings have.
pub fn characters<'p>(
    pictures: impl IntoIterator<Item = &'p dyn Picture>,
    notes: &[String],
    screen: &Screen,
) -> String {
    let bold = anstyle::Style::new().bold();
    let drawn = pictures.into_iter().map(|picture| {
        let Heading { title, shows, .. } = picture.heading();
        let drawn = picture.in_terminal(screen);
        let drawn = drawn
            .as_deref()
            .unwrap_or("(this terminal is too narrow: take the SVG)")
            .trim_end_matches('\n');
        let title = printable::line(title);
        format!("{bold}{title}{bold:#}\n{drawn}\n{}", paragraph::of(shows, "", ""))
    });
    let mut texts: Vec<String> = drawn.collect();
    texts.extend(notes.iter().map(|note| paragraph::of(note, "", "")));
    texts.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_find_their_kinds() {
        for kind in PictureKind::all() {
            assert_eq!(PictureKind::from_name(kind.name()), Some(kind));
        }
        assert_eq!(PictureKind::from_name("colour"), None);
    }
}
