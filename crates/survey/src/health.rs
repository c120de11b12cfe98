//! Is this machine as its reference? A survey of now against one from before.
//!
//! A cell is worse where its change is real (`nearfar_infer::changes`) and its whole interval is
//! beyond the floor. Nothing is worse where the interval of every cell excludes the floor: a
//! machine with one worse cell passes only if that cell's interval is wrong, so the number of cells
//! needs no correction. Anything else is undetermined.

use nearfar_infer::changes::{
    BETWEEN_LATENCIES, BETWEEN_LATENCIES_GUESTS, ChangeLimit, OpenReason, RoundsNeeded,
    rounds_needed,
};
use nearfar_model::Unit;
use serde::Serialize;
use serde_json::Value;

use crate::compare::{CellChange, MachineDifference, NothingInCommon, PartChanges, compare};
use crate::{MachineSummary, Survey};

/// Changes up to this are never worse, however certain; unless the user sets another floor.
pub const FLOOR: f64 = 0.03;
/// Figures that are offered where the floor cannot be excluded.
const LADDER: [f64; 9] = [0.03, 0.05, 0.08, 0.1, 0.15, 0.2, 0.25, 0.3, 0.5];
/// Longer measurements are no check.
const MAX_TIME_S: f64 = 600.0;
/// A check aims at a standard error that is this share of its floor. Smaller ones gain little: the
/// reference's error and the variation between surveys remain.
const ERROR_OVER_FLOOR: f64 = 1.0 / 16.0;
/// No check aims at less precision than this: with a few processes it excludes a tenth.
const MAX_ERROR: f64 = 0.02;
/// Memory that the kernel manages differs by its own size from boot to boot.
const MEMORY: f64 = 0.05;

/// A machine against its reference.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct HealthCheck {
    /// What follows.
    pub status: HealthStatus,
    /// Slowdowns up to this are accepted: a ratio minus 1.
    pub floor: f64,
    /// Every compared cell, the worst first.
    pub cells: Vec<HealthCell>,
    /// Cells, rows and columns of the reference that have no figure now.
    pub not_compared: usize,
    /// What all cells share, where that alone is worse: a ratio minus 1.
    pub common: Option<f64>,
    /// No cell is worse by more than this (95 %), a ratio minus 1; null without cells.
    pub at_most: Option<f64>,
    /// What a longer measurement would exclude; null where the check is decided or none helps.
    pub longer: Option<LongerCheck>,
    /// What keeps the floor open at any budget; null where the check is decided or time helps.
    pub open: Option<OpenReason>,
}

/// A budget that decides more.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct LongerCheck {
    /// The slowdown that it would exclude if the measured ratios stay as they are.
    pub excludes: f64,
    /// The time it needs, from the standard errors reached, which shrink with the root of rounds.
    pub budget_s: f64,
}

/// What a check gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HealthStatus {
    /// The interval of every cell excludes a slowdown beyond the floor.
    Ok,
    /// Something is slower by more than the floor.
    Worse,
    /// The figures do not decide.
    Undetermined,
}

/// A cell in both.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct HealthCell {
    /// "latency, node 0 to node 1".
    pub name: String,
    /// The unit of `medians`.
    pub unit: Unit,
    /// In the reference, and now.
    pub medians: [f64; 2],
    /// By how much it is worse, a ratio minus 1; negative where it is better.
    pub worse_by: f64,
    /// Its 95 % interval.
    pub ci95: [f64; 2],
    /// Whether it is worse for real, and by more than the floor.
    pub is_worse: bool,
}

/// What latencies of an unchanged machine differ by between surveys: a standard deviation, as a
/// fraction.
pub fn usual_between(reference: &Survey, now: &Survey) -> f64 {
    if [reference, now].iter().any(|survey| survey.machine.hypervisor.is_some()) {
        BETWEEN_LATENCIES_GUESTS
    } else {
        BETWEEN_LATENCIES
    }
}

/// The standard error that a check with this floor aims at, as a fraction.
pub fn target_error(floor: f64) -> f64 {
    (floor * ERROR_OVER_FLOOR).min(MAX_ERROR)
}

/// Differences that make a reference one of another machine: names and both values.
pub fn other_machine(reference: &MachineSummary, now: &MachineSummary) -> Vec<MachineDifference> {
    let facts = |machine: &MachineSummary| {
        let count = |number: usize| Value::from(number);
        let name = |text: &Option<String>| text.clone().map_or(Value::Null, Value::from);
        [
            ("model", Value::from(machine.model.clone())),
            ("product", name(&machine.product)),
            ("packages", count(machine.packages)),
            ("cores", count(machine.cores)),
            ("CPUs", count(machine.cpus)),
            ("nodes", count(machine.nodes)),
            ("architecture", Value::from(machine.arch.clone())),
            ("hypervisor", name(&machine.hypervisor)),
        ]
    };
    let pairs = facts(reference).into_iter().zip(facts(now));
    // A stripped reference has no product.
    let differ = pairs.filter(|((name, there), (_, here))| {
        there != here && !(*name == "product" && there.is_null())
    });
    let mut all: Vec<MachineDifference> = differ
        .map(|((name, first), (_, second))| MachineDifference {
            what: name.to_owned(),
            first,
            second,
        })
        .collect();
    let memory = reference.memory_bytes.zip(now.memory_bytes);
    all.extend(memory.filter(|(a, b)| (a.0 as f64 / b.0 as f64).ln().abs() > MEMORY).map(
        |(a, b)| MachineDifference {
            what: "memory".to_owned(),
            first: a.to_string().into(),
            second: b.to_string().into(),
        },
    ));
    all
}

/// What was measured now against the reference. `between` is the variation between surveys of an
/// unchanged machine; [`usual_between`] is the default.
pub fn check(
    reference: &Survey,
    now: &Survey,
    floor: f64,
    between: f64,
) -> Result<HealthCheck, NothingInCommon> {
    let comparison = compare(reference, now, between)?;
    let all = || comparison.parts.iter().flat_map(|part| part.cells.iter().map(move |c| (part, c)));
    let mut cells: Vec<HealthCell> =
        all().filter_map(|(part, cell)| HealthCell::new(part, cell, floor)).collect();
    cells.sort_by(|a, b| b.is_worse.cmp(&a.is_worse).then(b.worse_by.total_cmp(&a.worse_by)));
    let unknown =
        all().filter(|(_, cell)| cell.medians[0].is_some() && cell.change.is_none()).count();
    let gone: usize = comparison.parts.iter().map(|part| part.only_in[0].len()).sum();
    let not_compared = unknown + gone;
    let common = comparison.parts.iter().filter_map(|part| {
        let common = part.common.filter(|common| common.real)?;
        let [low, _] = worse_by(part.unit, common.ci95);
        (low > floor).then(|| worse_by(part.unit, [common.ratio; 2])[0])
    });
    let common = common.reduce(f64::max);
    let at_most = cells.iter().map(|cell| cell.ci95[1]).reduce(f64::max);
    let status = match at_most {
        _ if common.is_some() || cells.iter().any(|cell| cell.is_worse) => HealthStatus::Worse,
        Some(most) if most <= floor && not_compared == 0 => HealthStatus::Ok,
        _ => HealthStatus::Undetermined,
    };
    let undecided = OpenCells {
        cells: all().map(|(part, cell)| (part.unit, cell)).collect(),
        between,
        duration_s: now.provenance.duration_s,
    };
    let is_open = status == HealthStatus::Undetermined && at_most.is_some_and(|most| most > floor);
    let longer = if is_open { undecided.longer(floor, at_most) } else { None };
    let excludes_floor = longer.is_some_and(|longer| longer.excludes <= floor);
    let open = (is_open && !excludes_floor).then(|| undecided.needed(floor).err()).flatten();
    Ok(HealthCheck { status, floor, cells, not_compared, common, at_most, longer, open })
}

/// The cells of a check that may be undetermined.
struct OpenCells<'c> {
    cells: Vec<(Unit, &'c CellChange)>,
    between: f64,
    duration_s: f64,
}

impl OpenCells<'_> {
    /// The smallest figure from the floor on that a longer check excludes.
    fn longer(&self, floor: f64, at_most: Option<f64>) -> Option<LongerCheck> {
        let larger = LADDER.into_iter().filter(|figure| *figure > floor);
        let figures = std::iter::once(floor).chain(larger);
        let news = figures.filter(|figure| at_most.is_some_and(|most| *figure < most));
        news.into_iter().find_map(|excludes| {
            let budget_s = in_whole_steps(self.needed(excludes).ok()? * self.duration_s);
            (budget_s <= MAX_TIME_S).then_some(LongerCheck { excludes, budget_s })
        })
    }

    /// The multiple of this check's rounds after which every cell excludes a slowdown; or why no
    /// number of rounds does.
    fn needed(&self, worse_by: f64) -> Result<f64, OpenReason> {
        let mut most = 1.0_f64;
        for (unit, cell) in &self.cells {
            let limit = match unit {
                Unit::Nanoseconds => ChangeLimit { above: true, ratio: worse_by },
                Unit::BytesPerSecond => ChangeLimit { above: false, ratio: -worse_by },
            };
            let needed = cell.estimates.and_then(|pair| rounds_needed(&pair, self.between, limit));
            match needed {
                Some(RoundsNeeded::Times(factor)) => most = most.max(factor),
                Some(RoundsNeeded::Never(reason)) => return Err(reason),
                None => {}
            }
        }
        Ok(most)
    }
}

/// Upwards to a time that people write: 5 s, 10 s or a minute more.
fn in_whole_steps(seconds: f64) -> f64 {
    let step = match seconds {
        ..60.0 => 5.0,
        ..300.0 => 10.0,
        _ => 60.0,
    };
    (seconds / step).ceil() * step
}

impl HealthCell {
    fn new(part: &PartChanges, cell: &CellChange, floor: f64) -> Option<Self> {
        let moved = cell.change?.moved;
        let [first, second] = cell.medians;
        let ci95 = worse_by(part.unit, moved.ci95);
        Some(Self {
            name: format!("{}, {}", part.part, cell.name()),
            unit: part.unit,
            medians: [first?, second?],
            worse_by: worse_by(part.unit, [moved.ratio; 2])[0],
            ci95,
            is_worse: moved.real && ci95[0] > floor,
        })
    }
}

/// A change as worse: of latency what is above, of bandwidth what is missing.
fn worse_by(unit: Unit, [low, high]: [f64; 2]) -> [f64; 2] {
    match unit {
        Unit::Nanoseconds => [low, high],
        Unit::BytesPerSecond => [-high, -low],
    }
}

#[cfg(test)]
mod tests;
