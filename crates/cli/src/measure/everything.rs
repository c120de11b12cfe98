//! All other instruments beside latency and hidden nodes, each as it would measure alone by default.

use std::time::Duration;

use nearfar_probe::{Isa, Kernel, RowKind};
use nearfar_survey::{LeftOut, Mode};

use super::bandwidth::{Bandwidth, BandwidthRequest};
use super::caches::{Caches, CachesRequest};
use super::core_to_core::{PairRequest, Pairs};
use super::instrument::Instrument;
use super::interleave::{Interleave, InterleaveRequest};
use super::loaded::{Loaded, LoadedRequest};
use super::{Request, Session};
use crate::exit::line;

/// How precisely each of them measures.
pub(super) const MODE: Mode = Mode::Default;
/// Points of a loaded curve.
const POINTS: usize = 12;
/// How long threads stream together: of many such windows the fastest counts;
const WINDOW: Duration = Duration::from_millis(2);
/// through spread memory, a single one.
const SPREAD_WINDOW: Duration = Duration::from_millis(10);
/// Loads of a sample from spread memory, and the largest weight that is tried.
const LOADS: u64 = 65_536;
const LARGEST_WEIGHT: u32 = 16;

/// Adds those that have something to measure here, the most important first; why the others have not.
pub(super) fn beside(session: &Session, request: &Request, all: &mut Vec<Box<dyn Instrument>>) -> Vec<LeftOut> {
    let mut absent = Vec::new();
    let mut add = |name: &str, prepared: anyhow::Result<Box<dyn Instrument>>| match prepared {
        Ok(instrument) => all.push(instrument),
        Err(error) => {
            absent.push(LeftOut::because(name, line(&error)));
        }
    };
    add("bandwidth", Bandwidth::prepare(session, bandwidth(request)).map(boxed));
    add("core-to-core", Pairs::prepare(session, pairs(request)).map(boxed));
    add("loaded", Loaded::prepare(session, loaded(request)).map(boxed));
    add("caches", Caches::prepare(session, caches(request)).map(boxed));
    add("interleave", Interleave::prepare(session, interleave(request)).map(boxed));
    absent
}

fn boxed(instrument: impl Instrument + 'static) -> Box<dyn Instrument> {
    Box::new(instrument)
}

fn bandwidth(request: &Request) -> BandwidthRequest {
    BandwidthRequest {
        mode: MODE,
        wanted: request.wanted.clone(),
        rows_name: request.rows_name.clone(),
        kernels: Kernel::ALL.to_vec(),
        isa: Isa::best(),
        threads: vec![],
        footprint: None,
        window: WINDOW,
        windows: None,
        peak: None,
        budget: request.budget,
        seed: None,
    }
}

fn pairs(request: &Request) -> PairRequest {
    PairRequest {
        mode: MODE,
        cpus: request.wanted.cpus.clone(),
        all_pairs: false,
        factors: true,
        budget: request.budget,
        seed: None,
    }
}

fn loaded(request: &Request) -> LoadedRequest {
    LoadedRequest {
        mode: MODE,
        wanted: request.wanted.clone(),
        rows_name: request.rows_name.clone(),
        pairs: false,
        kernel: Kernel::Read,
        isa: Isa::best(),
        points: POINTS,
        footprint: None,
        budget: request.budget,
        seed: None,
    }
}

fn caches(request: &Request) -> CachesRequest {
    CachesRequest {
        mode: MODE,
        cpus: request.wanted.cpus.clone(),
        rows: RowKind::Auto,
        rows_name: request.rows_name.clone(),
        one_row: true,
        largest: None,
        budget: request.budget,
        seed: None,
    }
}

fn interleave(request: &Request) -> InterleaveRequest {
    InterleaveRequest {
        mode: MODE,
        wanted: request.wanted.clone(),
        rows_name: request.rows_name.clone(),
        kernels: vec![Kernel::Read, Kernel::Copy],
        latency: true,
        size: None,
        window: SPREAD_WINDOW,
        loads: LOADS,
        largest_weight: LARGEST_WEIGHT,
        budget: request.budget,
        seed: None,
    }
}
