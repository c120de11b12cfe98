//! The document `nearfar.objects/1`.

use nearfar_infer::object_effects::{FarShares, ObjectEffect, ObjectVerdict};
use nearfar_infer::response::ResponseFigure;
use nearfar_model::Bytes;
use nearfar_process::{MemoryObject, ObjectKind, UnmovableObject};
use serde::{Deserialize, Serialize};

use crate::explain::document::{SurveyUsed, TrialledProcess};
use crate::explain::{DosedProcess, DroppedDose, Metric, MovingCost, ResponseSettings};

/// The document's name. Parts may be added, never changed, within a number.
pub const OBJECTS_SCHEMA: &str = "nearfar.objects/1";

/// What each object of a program's memory costs where it is far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ObjectsDocument {
    /// `nearfar.objects/1`.
    pub schema: String,
    /// When it was measured.
    pub started: String,
    /// The machine's processor, where the kernel names it.
    pub machine: Option<String>,
    /// What the user named: a process, a name, a control group.
    pub target: String,
    /// The survey by which near and far nodes were chosen. Null where this machine has none.
    pub survey: Option<SurveyUsed>,
    /// What was read.
    pub metric: Metric,
    /// Seconds of each run.
    pub period_s: f64,
    /// Seed of orders and subsets.
    pub seed: u64,
    /// The processes and their nodes.
    pub nodes: Vec<DosedProcess>,
    /// Memory that moved together: a huge page where the program has these.
    #[schemars(with = "u64")]
    pub moved_together: Bytes,
    /// First all objects, then the ranges of those that were cut.
    pub stages: Vec<ObjectsStage>,
    /// Objects that do not move.
    pub unmovable: Vec<UnmovableObject>,
    /// What moving pages cost the program.
    pub moving: MovingCost,
    /// Whether the kernel's balancing was switched off meanwhile.
    pub balancing_was_off: bool,
    /// Processes of the target that were started meanwhile: their memory was not moved.
    pub started_meanwhile: u32,
    /// Each process, and whether its pages are where they were.
    pub processes: Vec<TrialledProcess>,
}

/// Objects that were measured beside each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ObjectsStage {
    /// The object whose ranges these are; all others were near meanwhile. Null: all objects.
    pub cut: Option<String>,
    /// The share of pages that took part, so that the limit of moving holds.
    pub taking_part: f64,
    /// The objects, by address.
    pub objects: Vec<MeasuredObject>,
    /// Blocks that count.
    pub blocks: u32,
    /// Pairs of runs that count.
    pub pairs: u32,
    /// The sum of all effects.
    pub sum: Option<ResponseFigure>,
    /// How much more time the program takes with all of them far, by these runs alone.
    pub all_far: Option<ResponseFigure>,
    /// Whether effects add up to that.
    pub adds_up: Option<bool>,
    /// Blocks with which all verdicts would be more likely, where some are undetermined.
    pub blocks_wanted: Option<u32>,
    /// The runs, in the order of time.
    pub periods: Vec<ObjectPeriod>,
}

/// An object, and what it costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MeasuredObject {
    /// The object.
    #[serde(flatten)]
    pub object: MemoryObject,
    /// CPUs that it keeps busy. A thread alone has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busy_cpus: Option<f64>,
    /// The share of it that was used in two seconds before the first run, by the bits that CPUs set
    /// in page tables; of a range that of its mapping. Null where it is not known.
    #[serde(default)]
    pub used_share: Option<f64>,
    /// The share of it that was not on the near node as it was found.
    pub remote_share: f64,
    /// The shares that were far in runs.
    pub far_shares: FarShares,
    /// What it costs.
    #[serde(flatten)]
    pub effect: ObjectEffect,
}

/// A run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ObjectPeriod {
    /// The block, from 0.
    pub block: u32,
    /// The row of the design.
    pub row: u32,
    /// Whether it is the row's mirror.
    pub is_mirror: bool,
    /// A sign for each object: + is far.
    pub far: String,
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

impl ObjectsDocument {
    /// One that begins now, without a result.
    pub(super) fn begun(run: &ResponseSettings, nodes: &[DosedProcess]) -> Self {
        Self {
            schema: OBJECTS_SCHEMA.to_owned(),
            started: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            machine: None,
            target: run.target.clone(),
            survey: None,
            metric: run.metric.clone(),
            period_s: run.period.as_secs_f64(),
            seed: run.seed,
            nodes: nodes.to_vec(),
            moved_together: Bytes(0),
            stages: Vec::new(),
            unmovable: Vec::new(),
            moving: MovingCost { limit: run.max_cost, taking_part: 1.0, ..MovingCost::default() },
            balancing_was_off: false,
            started_meanwhile: 0,
            processes: Vec::new(),
        }
    }

    /// Whether these are threads, and no memory was moved.
    pub fn is_of_threads(&self) -> bool {
        self.stages.first().is_some_and(ObjectsStage::is_of_threads)
    }

    /// The program's name, or what the user named of several processes.
    pub fn program(&self) -> &str {
        match &self.nodes[..] {
            [one] => &one.name,
            _ => &self.target,
        }
    }
}

impl ObjectsStage {
    /// Whether its objects are threads.
    pub fn is_of_threads(&self) -> bool {
        self.objects.iter().any(|one| one.object.kind == ObjectKind::Thread)
    }
}

impl MeasuredObject {
    /// Whether the program takes longer where it is far.
    pub fn costs(&self) -> bool {
        self.effect.verdict == ObjectVerdict::Costs
    }
}
