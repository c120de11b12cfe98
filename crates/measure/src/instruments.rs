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
use nearfar_survey::{LeftOut, Mode};

use crate::{Experiment, Scope, Session, Settings, error_line};

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
    let scope = &Scope { mode: Mode::Default, ..scope.clone() };
    let instruments = [
        (Instrument::Hidden, HiddenSettings::default().experiment(session, scope)),
        (Instrument::Bandwidth, BandwidthSettings::default().experiment(session, scope)),
        (Instrument::CoreToCore, CoreToCoreSettings::default().experiment(session, scope)),
        (Instrument::Loaded, LoadedSettings::default().experiment(session, scope)),
        (Instrument::Caches, CachesSettings::default().experiment(session, scope)),
        (Instrument::Interleave, InterleaveSettings::default().experiment(session, scope)),
    ];
    let mut absent = Vec::new();
    for (instrument, experiment) in instruments {
        match experiment {
            Ok(experiment) => all.push(experiment),
            Err(error) => absent.push(LeftOut::because(instrument.name(), error_line(&error))),
        }
    }
    absent
}
