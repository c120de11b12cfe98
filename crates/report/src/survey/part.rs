//! The parts of a survey, one for each instrument, on a screen and as CSV.

use nearfar_survey::Survey;

use super::{bandwidth, caches, core_to_core, costs, csv, hidden, interleave, loaded};

/// A part, by the instrument that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What an access costs at rest.
    Latency,
    /// What memory delivers.
    Bandwidth,
    /// What an access costs while memory is busy.
    Loaded,
    /// How far CPUs are from each other.
    CoreToCore,
    /// What caches hold and cost.
    Caches,
    /// What spread memory gives.
    Interleave,
    /// What the system does not show.
    Hidden,
}

impl Part {
    /// All of them, as a screen shows them.
    pub const ALL: [Self; 7] =
        [Self::Latency, Self::Bandwidth, Self::Loaded, Self::CoreToCore, Self::Caches, Self::Interleave, Self::Hidden];

    /// The name that users give its instrument.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Latency => "latency",
            Self::Bandwidth => "bandwidth",
            Self::Loaded => "loaded",
            Self::CoreToCore => "core-to-core",
            Self::Caches => "caches",
            Self::Interleave => "interleave",
            Self::Hidden => "hidden",
        }
    }

    /// The part of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|part| part.name() == name)
    }

    /// The parts that a survey has.
    pub fn of(survey: &Survey) -> Vec<Self> {
        survey.measured().into_iter().filter_map(Self::from_name).collect()
    }

    /// All that it has for a screen.
    pub(super) fn text(self, survey: &Survey) -> String {
        match self {
            Self::Latency => costs(survey),
            Self::Bandwidth => bandwidth::text(survey),
            Self::Loaded => loaded::text(survey),
            Self::CoreToCore => core_to_core::text(survey),
            Self::Caches => caches::text(survey),
            Self::Interleave => interleave::text(survey),
            Self::Hidden => hidden::text(survey),
        }
    }

    /// What of it stands among others on one screen.
    pub(super) fn in_short(self, survey: &Survey) -> String {
        match self {
            Self::Bandwidth => bandwidth::in_short(survey),
            Self::Loaded => loaded::in_short(survey),
            Self::Caches => caches::in_short(survey),
            Self::Latency | Self::CoreToCore | Self::Interleave | Self::Hidden => self.text(survey),
        }
    }

    /// Its cells for a spreadsheet.
    pub(super) fn csv(self, survey: &Survey) -> String {
        match self {
            Self::Latency => csv::latency_csv(survey),
            Self::Bandwidth => csv::bandwidth_csv(survey),
            Self::Loaded => csv::loaded_csv(survey),
            Self::CoreToCore => csv::core_to_core_csv(survey),
            Self::Caches => csv::caches_csv(survey),
            Self::Interleave => csv::interleave_csv(survey),
            Self::Hidden => csv::hidden_csv(survey),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_known_by_its_name() {
        for part in Part::ALL {
            assert_eq!(Part::from_name(part.name()), Some(part));
        }
        assert_eq!(Part::from_name("colour"), None);
    }
}
