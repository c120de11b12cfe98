//! Results computed from latencies: distance classes, links, and checked claims. Each is a part of
//! its own to look at; on the survey's screen classes and links have a few lines.

use nearfar_survey::Survey;

use super::{Verbosity, claims_checked, classes};
use crate::links;

/// A part that no instrument made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derived {
    /// Which memories are as far away as each other.
    Classes,
    /// Which nodes are connected directly.
    Links,
    /// Whether what firmware claims holds.
    Claims,
}

impl Derived {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Classes, Self::Links, Self::Claims];

    /// Its name in the document.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Classes => "classes",
            Self::Links => "links",
            Self::Claims => "claims_vs_measured",
        }
    }

    /// The part of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|part| part.name() == name)
    }

    /// The parts that a survey has.
    pub fn from_survey(survey: &Survey) -> Vec<Self> {
        let is_there = |part: &Self| match part {
            Self::Classes => survey.classes.is_some(),
            Self::Links => survey.links.is_some(),
            Self::Claims => survey.claims_vs_measured.is_some(),
        };
        Self::ALL.into_iter().filter(is_there).collect()
    }

    /// Its answer in a line.
    pub(super) fn answer(self, survey: &Survey) -> String {
        let answer = match self {
            Self::Classes => survey.classes.as_ref().map(classes::answer),
            Self::Links => survey.links.as_ref().map(links::answer),
            Self::Claims => survey.claims_vs_measured.as_ref().and_then(claims_checked::answer),
        };
        answer.unwrap_or_else(|| format!("{}: nothing measured", self.name()))
    }

    /// All that it has for a screen.
    pub(super) fn sections(self, survey: &Survey, verbosity: Verbosity) -> Vec<String> {
        match self {
            Self::Classes => survey.classes.iter().map(classes::text).collect(),
            Self::Links => {
                survey.links.iter().map(|links| links::in_full(links, verbosity)).collect()
            }
            Self::Claims => {
                let claims = survey.claims_vs_measured.iter();
                claims.flat_map(|claims| claims_checked::sections(claims, verbosity)).collect()
            }
        }
    }

    /// Its cells for a spreadsheet.
    pub(super) fn csv(self, survey: &Survey) -> String {
        match self {
            Self::Classes => survey.classes.as_ref().map(classes::csv).unwrap_or_default(),
            Self::Links => survey.links.as_ref().map(links::csv).unwrap_or_default(),
            Self::Claims => {
                survey.claims_vs_measured.as_ref().map(claims_checked::csv).unwrap_or_default()
            }
        }
    }
}

/// Classes and links in a few lines. Two nodes have no interesting links, nor has memory
/// that is the same everywhere.
pub(super) fn sections(survey: &Survey, verbosity: Verbosity) -> [String; 2] {
    let Some(classes) = &survey.classes else { return Default::default() };
    // Where classes are refused, links are for the same reason.
    let may_have_links = survey.latency.columns.len() > 2 && classes.classes.len() > 1;
    let links = survey.links.as_ref().filter(|_| may_have_links);
    let links = links.map(|links| links::in_short(links, verbosity));
    [super::classes::text(classes), links.unwrap_or_default()]
}

#[cfg(test)]
mod tests {
    use nearfar_model::Instrument;

    use super::*;

    #[test]
    fn every_part_is_known_by_a_name_that_no_instrument_has() {
        for part in Derived::ALL {
            assert_eq!(Derived::from_name(part.name()), Some(part));
            assert!(Instrument::ALL.iter().all(|instrument| instrument.name() != part.name()));
        }
        assert_eq!(Derived::from_name("latency"), None);
    }
}
