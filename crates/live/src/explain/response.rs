//! What remote memory costs a program: its response to doses of far memory.
//!
//! - [`measure_response`]: moves fresh random subsets of a program's pages to a far node, in random
//!   order within blocks, while a [`Metric`] is read, and puts them back.
//! - [`ResponseDocument`]: the result, with the doses that were really reached.
//! - [`forecasts_here`], [`forecast_elsewhere`]: what other placements cost it, and other machines.

mod document;
mod doses;
mod forecasts;
mod moving;
mod run;

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use fastrand::Rng;

pub use document::{
    DosePlacement, DoseUnit, DosedProcess, DroppedDose, FORECAST_SCHEMA, Forecast,
    ForecastDocument, ForecastMachine, ForecastPlacement, MovingCost, RESPONSE_SCHEMA,
    ResponseDocument, ResponsePeriod,
};
pub use doses::{DoseNodes, dose_nodes};
pub use forecasts::{MachineLatencies, forecast_elsewhere, forecasts_here};
pub(crate) use moving::{LEAST_TAKING_PART, REHEARSED};
pub use run::measure_response;

use crate::explain::Metric;

/// Shares of its pages that are far, in per cent.
pub const DOSES: [u32; 5] = [0, 25, 50, 75, 100];

/// What was asked for.
#[derive(Clone, Debug)]
pub struct ResponseSettings {
    /// What the user named.
    pub target: String,
    /// What is read.
    pub metric: Metric,
    /// Blocks: each has all doses, and pages as they were found.
    pub blocks: u32,
    /// Blocks begin until this time is over, in place of a number.
    pub budget: Option<Duration>,
    /// Time at each dose.
    pub period: Duration,
    /// The share of the program's time that moving its pages may take.
    pub max_cost: f64,
    /// Seed of orders and subsets.
    pub seed: u64,
    /// Folder of notes that have where pages were.
    pub notes: PathBuf,
    /// Starts a guard of settings.
    pub guard: fn() -> Command,
}

/// The doses of a block, and pages as they were found, in random order.
pub(crate) fn order(block: u32, seed: u64) -> Vec<Option<u32>> {
    let mut doses: Vec<Option<u32>> = DOSES.map(Some).into();
    doses.push(None);
    Rng::with_seed(seed ^ (u64::from(block) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .shuffle(&mut doses);
    doses
}

/// Periods of a block.
pub(crate) const PER_BLOCK: u32 = DOSES.len() as u32 + 1;
