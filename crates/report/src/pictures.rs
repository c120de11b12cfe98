//! The pictures of a survey: what [`nearfar_draw`] draws, made of the document's figures.
//!
//! A [`Kind`] is what a user asks for; each makes as many pictures as the survey has something to
//! show in it, and says in its [`Shown::remarks`] what it has not. A figure that the document does
//! not have is nowhere made up here.

pub(crate) mod changes;
mod disturbances;
pub(crate) mod figures;
mod links;
mod machine;
mod scale;
pub(crate) mod shown;
pub mod sweep;

use nearfar_draw::{Heading, Picture, Screen};
use nearfar_model::Instrument;
use nearfar_survey::Survey;
use nearfar_terminal::printable;

use crate::instruments::{self, parts, view};
use crate::paragraph;
pub use changes::Changes;
pub use scale::same_scale;
pub use shown::{Drawn, Shown};

/// What a picture of a survey is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Packages, dies, cache groups, nodes.
    Machine,
    /// What an instrument measured.
    Part(Instrument),
    /// Which nodes are connected directly.
    Links,
    /// What was dropped, and when.
    Disturbances,
}

impl Kind {
    /// All of them, in the order of a page.
    pub fn all() -> Vec<Self> {
        let mut kinds: Vec<Self> = parts().map(Self::Part).collect();
        kinds.insert(0, Self::Machine);
        // Links follow from latency.
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
            Self::Links => "Which nodes are linked",
            Self::Disturbances => "What disturbed the measurement",
        }
    }

    /// The kinds that a survey has pictures of.
    pub fn of(survey: &Survey) -> Vec<Self> {
        Self::all()
            .into_iter()
            .filter(|kind| !kind.draw(survey, None).pictures.is_empty())
            .collect()
    }

    /// Its pictures. Cells that are among these changes, and real, are framed, with the change
    /// beneath the figure.
    pub fn draw(self, survey: &Survey, changes: Option<&Changes<'_>>) -> Shown {
        let mut shown = match self {
            Self::Machine => machine::draw(survey),
            Self::Part(part) => {
                view(survey, part).map(|view| view.draw(changes)).unwrap_or_default()
            }
            Self::Links => links::draw(survey),
            Self::Disturbances => disturbances::draw(survey),
        };
        scale::each_its_own(shown.pictures.iter_mut());
        shown
    }
}

/// What is shown; how its marks look is said of the drawing.
fn first_sentence(text: &str) -> &str {
    text.split_once(". ").map_or(text, |(first, _)| first)
}

/// Pictures in characters, each under its title; those that characters cannot show say so.
pub fn characters<'p>(
    pictures: impl IntoIterator<Item = &'p dyn Picture>,
    remarks: &[String],
    screen: &Screen,
) -> String {
    let bold = anstyle::Style::new().bold();
    let drawn = pictures.into_iter().map(|one| {
        let Heading { title, description } = one.heading();
        let drawn = one.in_terminal(screen);
        let drawn = drawn
            .as_deref()
            .unwrap_or("(not to be shown in characters here: take the SVG)")
            .trim_end_matches('\n');
        let title = printable::line(title);
        format!(
            "{bold}{title}{bold:#}\n{drawn}\n{}",
            paragraph::of(first_sentence(description), "", "")
        )
    });
    let mut shown: Vec<String> = drawn.collect();
    shown.extend(remarks.iter().map(|remark| paragraph::of(remark, "", "")));
    shown.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_known_by_its_name() {
        for kind in Kind::all() {
            assert_eq!(Kind::from_name(kind.name()), Some(kind));
        }
        assert_eq!(Kind::from_name("colour"), None);
    }
}
