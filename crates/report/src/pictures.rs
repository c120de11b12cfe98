//! The pictures of a survey: what [`nearfar_draw`] draws, made of the document's figures.
//!
//! A [`Kind`] is what a user asks for; each makes as many pictures as the survey has something to show in it, and says in its
//! [`Shown::remarks`] what it has not. A figure that the document does not have is nowhere made up here.

mod bandwidth;
mod caches;
mod changes;
mod core_to_core;
mod disturbances;
mod figures;
mod hidden;
mod interleave;
mod latency;
mod links;
mod loaded;
mod machine;
mod scale;
pub mod sweep;

use nearfar_draw::{Curves, HeatMap, Picture, Screen};
use nearfar_survey::Survey;

use crate::{paragraph, printable};
pub use changes::Changes;
pub use scale::same_scale;

/// What a picture of a survey is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Packages, dies, cache groups, nodes.
    Machine,
    /// What an access costs at rest, from every group of CPUs to every memory.
    Latency,
    /// Which nodes are connected directly.
    Links,
    /// What memory delivers.
    Bandwidth,
    /// Latency over the traffic beside it.
    Loaded,
    /// How far CPUs are from each other.
    CoreToCore,
    /// Latency over the size of what is accessed.
    Caches,
    /// What spread memory gives, by its weights.
    Interleave,
    /// Kinds of pages that no node tells of.
    Hidden,
    /// What was dropped, and when.
    Disturbances,
}

/// A picture that may still be made comparable with others ([`same_scale`]).
#[derive(Debug)]
pub enum Drawn {
    /// A matrix.
    Map(HeatMap),
    /// Lines.
    Curves(Curves),
    /// Any other.
    Other(Box<dyn Picture>),
}

/// The pictures of one kind.
#[derive(Debug, Default)]
pub struct Shown {
    /// The pictures.
    pub pictures: Vec<Drawn>,
    /// What they do not show, and why; a sentence each.
    pub remarks: Vec<String>,
}

impl Kind {
    /// All of them, in the order of a page.
    pub const ALL: [Self; 10] = [
        Self::Machine,
        Self::Latency,
        Self::Links,
        Self::Bandwidth,
        Self::Loaded,
        Self::CoreToCore,
        Self::Caches,
        Self::Interleave,
        Self::Hidden,
        Self::Disturbances,
    ];

    /// The name by which users ask for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Machine => "machine",
            Self::Latency => "latency",
            Self::Links => "links",
            Self::Bandwidth => "bandwidth",
            Self::Loaded => "loaded",
            Self::CoreToCore => "core-to-core",
            Self::Caches => "caches",
            Self::Interleave => "interleave",
            Self::Hidden => "hidden",
            Self::Disturbances => "disturbances",
        }
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Its heading on a page.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Machine => "The machine",
            Self::Latency => "What an access costs",
            Self::Links => "Which nodes are linked",
            Self::Bandwidth => "What memory delivers",
            Self::Loaded => "How slow memory becomes when it is busy",
            Self::CoreToCore => "How far CPUs are from each other",
            Self::Caches => "Where each cache ends",
            Self::Interleave => "What spreading memory gives",
            Self::Hidden => "What the system does not show",
            Self::Disturbances => "What disturbed the measurement",
        }
    }

    /// The kinds that a survey has pictures of.
    pub fn of(survey: &Survey) -> Vec<Self> {
        Self::ALL.into_iter().filter(|kind| !kind.draw(survey, None).pictures.is_empty()).collect()
    }

    /// Its pictures. Cells that are among these changes, and real, are framed, with the change beneath the figure.
    pub fn draw(self, survey: &Survey, changes: Option<&Changes<'_>>) -> Shown {
        let mut shown = match self {
            Self::Machine => machine::draw(survey),
            Self::Latency => latency::draw(survey, changes),
            Self::Links => links::draw(survey),
            Self::Bandwidth => bandwidth::draw(survey, changes),
            Self::Loaded => loaded::draw(survey),
            Self::CoreToCore => core_to_core::draw(survey, changes),
            Self::Caches => caches::draw(survey),
            Self::Interleave => interleave::draw(survey),
            Self::Hidden => hidden::draw(survey),
            Self::Disturbances => disturbances::draw(survey),
        };
        scale::each_its_own(shown.pictures.iter_mut());
        shown
    }
}

impl Drawn {
    /// What it is to who draws it.
    pub fn picture(&self) -> &dyn Picture {
        match self {
            Self::Map(map) => map,
            Self::Curves(curves) => curves,
            Self::Other(picture) => picture.as_ref(),
        }
    }
}

impl Drawn {
    /// The picture itself.
    pub fn into_picture(self) -> Box<dyn Picture> {
        match self {
            Self::Map(map) => Box::new(map),
            Self::Curves(curves) => Box::new(curves),
            Self::Other(picture) => picture,
        }
    }
}

impl Shown {
    fn one(picture: impl Picture + 'static) -> Self {
        Self { pictures: vec![Drawn::Other(Box::new(picture))], remarks: Vec::new() }
    }

    fn remark(mut self, remark: impl Into<String>) -> Self {
        self.remarks.push(remark.into());
        self
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
    let mut shown: Vec<String> = Vec::new();
    for one in pictures {
        let drawn = one
            .in_terminal(screen)
            .unwrap_or_else(|| "(not to be shown in characters here: take the SVG)\n".to_owned());
        let description = paragraph::of(first_sentence(&one.heading().description), "", "");
        shown.push(format!(
            "{bold}{}{bold:#}\n{}\n{description}",
            printable::line(&one.heading().title),
            drawn.trim_end_matches('\n')
        ));
    }
    shown.extend(remarks.iter().map(|remark| paragraph::of(remark, "", "")));
    shown.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_known_by_its_name() {
        for kind in Kind::ALL {
            assert_eq!(Kind::from_name(kind.name()), Some(kind));
        }
        assert_eq!(Kind::from_name("colour"), None);
    }
}
