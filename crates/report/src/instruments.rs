//! How each instrument's part of a survey is shown: text, CSV and pictures, a file each.
//! [`crate::pictures`] draws the pictures.

pub(crate) mod bandwidth;
pub(crate) mod caches;
pub(crate) mod core_to_core;
pub(crate) mod gpu;
pub(crate) mod hidden;
pub(crate) mod interleave;
pub(crate) mod io;
pub(crate) mod latency;
pub(crate) mod loaded;
mod placement;

use nearfar_model::Instrument;
use nearfar_survey::Survey;
use nearfar_view::text::csv_text::CsvTable;
use nearfar_view::text::sections;

use crate::verbosity::Verbosity;
/// How one instrument's part is shown.
pub(crate) trait PartView {
    /// All that it has for a screen, the table that answers first.
    fn sections(&self, verbosity: Verbosity) -> Vec<String>;

    /// The same among other parts on one screen.
    fn in_short(&self, verbosity: Verbosity) -> String {
        sections(self.sections(verbosity))
    }

    /// Its answer in a line.
    fn answer(&self) -> Option<String>;

    /// Its answer on a screen of text.
    fn screen_answer(&self) -> Option<String> {
        self.answer()
    }

    /// Its cells for a spreadsheet.
    fn csv(&self) -> Vec<CsvTable<'_>>;
}

/// How an instrument's part of this survey is shown; none where it has none.
pub(crate) fn view(survey: &Survey, instrument: Instrument) -> Option<&dyn PartView> {
    fn shown<P: PartView>(part: &Option<P>) -> Option<&dyn PartView> {
        part.as_ref().map(|part| part as &dyn PartView)
    }
    match instrument {
        // Beside its matrix stand claims.
        Instrument::Latency => Some(survey),
        Instrument::Bandwidth => shown(&survey.bandwidth),
        Instrument::Loaded => shown(&survey.loaded),
        Instrument::CoreToCore => shown(&survey.core_to_core),
        Instrument::Caches => shown(&survey.caches),
        Instrument::Interleave => shown(&survey.interleave),
        Instrument::Io => shown(&survey.io),
        Instrument::Gpu => shown(&survey.gpu),
        Instrument::Hidden => shown(&survey.hidden),
        Instrument::PageSize => None,
    }
}

/// The heading of its pictures; none for what has no part of its own.
pub(crate) const fn title(instrument: Instrument) -> Option<&'static str> {
    Some(match instrument {
        Instrument::Latency => "Latency",
        Instrument::Bandwidth => "Bandwidth",
        Instrument::Loaded => "Latency under load",
        Instrument::CoreToCore => "Core to core",
        Instrument::Caches => "Caches",
        Instrument::Interleave => "Interleaving",
        Instrument::Io => "Disks",
        Instrument::Gpu => "GPUs",
        Instrument::Hidden => "Hidden nodes",
        Instrument::PageSize => return None,
    })
}

/// The instruments that surveys have a part of, in the order of a screen.
pub fn parts() -> impl Iterator<Item = Instrument> {
    Instrument::ALL.into_iter().filter(|instrument| title(*instrument).is_some())
}
