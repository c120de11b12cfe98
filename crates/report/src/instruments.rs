//! How each instrument's part of a survey is shown: text, CSV and pictures, a file each.

mod bandwidth;
mod caches;
mod core_to_core;
pub(crate) mod hidden;
mod interleave;
mod latency;
mod loaded;

use nearfar_model::Instrument;
use nearfar_survey::Survey;

use crate::pictures::changes::Changes;
use crate::pictures::shown::Shown;

/// How one instrument's part is shown. Each is empty where a survey has no such part.
pub(crate) struct InstrumentView {
    /// All that it has for a screen.
    pub(crate) text: fn(&Survey) -> String,
    /// The same among other parts on one screen.
    pub(crate) in_short: fn(&Survey) -> String,
    /// Its answer in a line.
    pub(crate) answer: fn(&Survey) -> Option<String>,
    /// Its cells for a spreadsheet.
    pub(crate) csv: fn(&Survey) -> String,
    /// The heading of its pictures.
    pub(crate) title: &'static str,
    /// Its pictures; real changes are framed.
    pub(crate) draw: fn(&Survey, Option<&Changes<'_>>) -> Shown,
}

/// How an instrument's part is shown; `None` for what has no part of its own.
pub(crate) const fn view(instrument: Instrument) -> Option<InstrumentView> {
    Some(match instrument {
        Instrument::Latency => latency::VIEW,
        Instrument::Bandwidth => bandwidth::VIEW,
        Instrument::Loaded => loaded::VIEW,
        Instrument::CoreToCore => core_to_core::VIEW,
        Instrument::Caches => caches::VIEW,
        Instrument::Interleave => interleave::VIEW,
        Instrument::Hidden => hidden::VIEW,
        Instrument::PageSize => return None,
    })
}

/// The instruments with a part of their own, in the order of a screen.
pub(crate) fn views() -> impl Iterator<Item = (Instrument, InstrumentView)> {
    Instrument::ALL.into_iter().filter_map(|instrument| Some((instrument, view(instrument)?)))
}
