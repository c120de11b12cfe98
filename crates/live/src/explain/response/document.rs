//! The documents `nearfar.response/1` and `nearfar.forecast/1`.

use nearfar_infer::response::{DosePoint, ForecastRefusal, LatencyRange, Response, ResponseFigure};
use nearfar_model::{Bytes, NodeId};
use serde::{Deserialize, Serialize};

use crate::explain::document::{SurveyUsed, TrialledProcess};
use crate::explain::{Metric, Obstacle};

/// The name of a response's document. Parts may be added, never changed, within a number.
pub const RESPONSE_SCHEMA: &str = "nearfar.response/1";
/// The name of a forecast's document.
pub const FORECAST_SCHEMA: &str = "nearfar.forecast/1";

/// A program's response to far memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ResponseDocument {
    /// `nearfar.response/1`.
    pub schema: String,
    /// When it was measured.
    pub started: String,
    /// The machine's processor, where the kernel names it.
    pub machine: Option<String>,
    /// What the user named: a process, a name, a control group.
    pub target: String,
    /// The survey whose latencies are used. Null where this machine has none.
    pub survey: Option<SurveyUsed>,
    /// What was read.
    pub metric: Metric,
    /// Seconds of each period.
    pub period_s: f64,
    /// Seed of orders and subsets.
    pub seed: u64,
    /// The unit of doses.
    pub unit: DoseUnit,
    /// The mean latency of an access with all memory near, if all pages are used alike; 0 of
    /// shares.
    pub near: LatencyRange,
    /// The same with all memory far; 1 of shares.
    pub far: LatencyRange,
    /// The same with memory interleaved over all nodes that the program may use.
    pub interleaved: LatencyRange,
    /// The mean latency of a page before anything moved: the program may use its pages otherwise.
    /// Null of a program that was started at each dose.
    pub as_found: Option<f64>,
    /// The relative time with pages as they were found, or where the kernel put them, measured:
    /// with all memory near it is 1.
    pub time_as_found: Option<ResponseFigure>,
    /// The processes and their nodes.
    pub nodes: Vec<DosedProcess>,
    /// Memory that moved together: a huge page where the program has these.
    #[schemars(with = "u64")]
    pub moved_together: Bytes,
    /// The periods, in the order of time.
    pub periods: Vec<ResponsePeriod>,
    /// The relative time at each dose.
    pub points: Vec<DosePoint>,
    /// The response.
    pub response: Response,
    /// What other placements on this machine cost.
    pub forecasts: Vec<Forecast>,
    /// The placements that are the doses of a program that was started at each, the nearest first.
    /// Empty: its pages were moved while it ran.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub placements: Vec<DosePlacement>,
    /// What moving pages cost the program.
    pub moving: MovingCost,
    /// Whether the kernel's balancing was switched off meanwhile.
    pub balancing_was_off: bool,
    /// Processes of the target that were started meanwhile: their memory was not moved.
    pub started_meanwhile: u32,
    /// Each process, and whether its pages are where they were.
    pub processes: Vec<TrialledProcess>,
}

impl ResponseDocument {
    /// Whether the program was started at each dose (`nearfar sweep --dose`).
    pub fn is_of_runs(&self) -> bool {
        !self.placements.is_empty()
    }

    /// The program's name, or what the user named of several processes.
    pub fn program(&self) -> &str {
        match &self.nodes[..] {
            [one] => &one.name,
            _ => &self.target,
        }
    }
}

/// What a dose is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DoseUnit {
    /// Mean latency in nanoseconds, by a survey.
    Nanoseconds,
    /// The share of memory that is far: without a survey.
    FarShare,
}

/// A placement at the program's start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct DosePlacement {
    /// Words of `nearfar run`.
    pub words: String,
    /// The dose: the mean latency over its nodes, or the share of far memory.
    pub dose: f64,
    /// The same in per cent, from all near to all far.
    pub percent: u32,
}

/// A process, and the nodes that its pages alternate between.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct DosedProcess {
    /// Its number.
    pub pid: u32,
    /// Its name.
    pub name: String,
    /// The node whose memory its threads access fastest.
    #[schemars(with = "u32")]
    pub near: NodeId,
    /// The node whose memory is far.
    #[schemars(with = "u32")]
    pub far: NodeId,
    /// Its share of the CPU time of all.
    pub weight: f64,
    /// What keeps pages from moving, or brings new ones elsewhere.
    pub obstacles: Vec<Obstacle>,
}

/// A period at a dose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ResponsePeriod {
    /// The block, from 0.
    pub block: u32,
    /// The share of pages that was to be far, in per cent. Null: as they were found.
    pub wanted: Option<u32>,
    /// The share of memory that was on the far node.
    pub far_share: f64,
    /// The dose that was reached. Null where a latency or a thread's node is not known.
    pub dose: Option<f64>,
    /// The metric: a value, or a rate per second.
    pub figure: Option<f64>,
    /// Why it does not count.
    pub dropped: Option<DroppedDose>,
    /// Memory that moved before it.
    #[schemars(with = "u64")]
    pub moved_bytes: Bytes,
    /// Seconds which that took.
    pub moving_s: f64,
}

/// Why a period does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DroppedDose {
    /// The metric did not give a positive number.
    NoFigure,
    /// The dose is not known: no thread ran, or the survey lacks a latency.
    NoDose,
    /// Pages were on other nodes at its end: something else moves them.
    PagesMoved,
}

/// What moving pages cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MovingCost {
    /// Seconds in which pages moved: the program waits at most that long.
    pub seconds: f64,
    /// The same as a share of the whole time.
    pub share: f64,
    /// The limit (`--max-cost`).
    pub limit: f64,
    /// Memory that moved, there and back.
    #[schemars(with = "u64")]
    pub bytes: Bytes,
    /// The share of pages that took part, so that the limit holds.
    pub taking_part: f64,
    /// How much more time the far memory itself cost on average while this was measured.
    pub far_memory: Option<f64>,
}

/// A placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ForecastPlacement {
    /// As it was found.
    AsFound,
    /// All memory near.
    AllNear,
    /// Interleaved over all nodes.
    Interleaved,
    /// All memory on the farthest node.
    AllFar,
}

/// What a placement costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Forecast {
    /// The placement.
    pub placement: ForecastPlacement,
    /// The mean latency of an access; without a survey the share of far memory.
    pub latency: LatencyRange,
    /// How much more time the program takes than with all memory near on the machine of the
    /// response. Null where there is no forecast.
    pub change: Option<ResponseFigure>,
    /// The same, than with all memory near on this machine.
    pub change_there: Option<ResponseFigure>,
    /// Whether the latency lies outside those that were measured.
    pub is_extrapolated: bool,
    /// Why there is no forecast.
    pub refused: Option<ForecastRefusal>,
}

/// A machine for which a forecast is made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ForecastMachine {
    /// Its name.
    pub name: String,
    /// Where its latencies are from: a file, or a row of the atlas.
    pub source: String,
}

/// A program on other machines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ForecastDocument {
    /// `nearfar.forecast/1`.
    pub schema: String,
    /// The program, as the response names it.
    pub target: String,
    /// The machine on which the response was measured.
    pub measured_on: Option<String>,
    /// The slope of the response: the change of its time for each nanosecond.
    pub slope: Option<ResponseFigure>,
    /// The machine.
    pub machine: ForecastMachine,
    /// Its placements.
    pub forecasts: Vec<Forecast>,
}
