//! The instruments, a file each: its settings, and its experiment.

mod bandwidth;
mod caches;
mod core_to_core;
mod hidden;
mod interleave;
mod latency;
mod loaded;
mod page_size;

use nearfar_model::Instrument;
use nearfar_probe::{RowKind, Wanted};
use nearfar_survey::{LeftOut, Mode};
use nearfar_terminal::error_line;

use crate::{Experiment, MeasureError, Scope, Session, Settings};

pub use bandwidth::BandwidthSettings;
pub use caches::CachesSettings;
pub use core_to_core::{CoreToCoreSettings, claim};
pub use hidden::HiddenSettings;
pub(crate) use hidden::shows_one_memory;
pub use interleave::InterleaveSettings;
pub(crate) use latency::Latency;
pub use latency::LatencySettings;
pub use loaded::LoadedSettings;
pub(crate) use page_size::PageSizes;

/// Adds all instruments beside latency and page sizes, the most important first, each as it
/// measures alone by default; why others have nothing to measure here.
pub(crate) fn add_all(session: &Session, scope: &Scope, all: &mut Vec<Box<dyn Experiment>>) -> Vec<LeftOut> {
    // The mode asked for is latency's.
    let scope = Scope { mode: Mode::Default, ..scope.clone() };
    let mut instruments = Instrument::ALL;
    instruments.sort_by_key(|instrument| rank(*instrument));
    let mut absent = Vec::new();
    for instrument in instruments {
        match by_default(instrument, session, &scope) {
            Some(Ok(experiment)) => all.push(experiment),
            Some(Err(error)) => absent.push(LeftOut::because(instrument.name(), error_line(&error))),
            None => {}
        }
    }
    absent
}

/// An instrument as it measures alone by default; `None` where others measure for it.
fn by_default(
    instrument: Instrument,
    session: &Session,
    scope: &Scope,
) -> Option<Result<Box<dyn Experiment>, MeasureError>> {
    Some(match instrument {
        Instrument::Latency | Instrument::PageSize => return None,
        Instrument::Hidden => HiddenSettings::default().experiment(session, scope),
        Instrument::Bandwidth => BandwidthSettings::default().experiment(session, scope),
        Instrument::CoreToCore => CoreToCoreSettings::default().experiment(session, scope),
        Instrument::Loaded => LoadedSettings::default().experiment(session, scope),
        Instrument::Caches => {
            // One CPU is measured, whatever the rows of the others are.
            let wanted = Wanted { rows: RowKind::Auto, ..scope.wanted.clone() };
            CachesSettings::default().experiment(session, &Scope { wanted, ..scope.clone() })
        }
        Instrument::Interleave => InterleaveSettings::default().experiment(session, scope),
    })
}

/// The most important has the lowest.
const fn rank(instrument: Instrument) -> u8 {
    match instrument {
        Instrument::Latency => 0,
        Instrument::Hidden => 1,
        Instrument::Bandwidth => 2,
        Instrument::CoreToCore => 3,
        Instrument::Loaded => 4,
        Instrument::Caches => 5,
        Instrument::Interleave => 6,
        Instrument::PageSize => 7,
    }
}
