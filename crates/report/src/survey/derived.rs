//! Results computed from latencies: distance classes, links, and checked claims. Each is a part of
//! its own to look at; on the survey's screen classes and links have a few lines.

use nearfar_survey::Survey;

use super::{claims_checked, classes};
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

    /// All that it has for a screen.
    pub(super) fn text(self, survey: &Survey) -> String {
        match self {
            Self::Classes => survey.classes.as_ref().map(classes::text).unwrap_or_default(),
            Self::Links => {
                survey.links.as_ref().map(|links| links::text(links, None)).unwrap_or_default()
            }
            Self::Claims => {
                survey.claims_vs_measured.as_ref().map(claims_checked::text).unwrap_or_default()
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
pub(super) fn sections(survey: &Survey) -> String {
    let Some(classes) = &survey.classes else { return String::new() };
    // Where classes are refused, links are for the same reason.
    let may_have_links = survey.latency.columns.len() > 2 && classes.classes.len() > 1;
    let links = survey.links.as_ref().filter(|_| may_have_links);
    super::classes::text(classes) + &links.map(links::in_short).unwrap_or_default()
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
