//! Is this machine as its reference? A survey of now against one from before.
//!
//! A cell is worse where its change is real (`nearfar_infer::changes`) and its whole interval is
//! beyond [`FLOOR`].

use nearfar_model::Unit;
use serde::Serialize;
use serde_json::Value;

use crate::compare::{
    CellChange, MachineDifference, NothingInCommon, PartChanges, compare, usual_between,
};
use crate::{MachineSummary, Survey};

/// Changes up to this are never worse, however certain.
pub const FLOOR: f64 = 0.03;
/// An interval that reaches this far excludes no fault.
pub const MOST_NOISE: f64 = 0.25;
/// Memory that the kernel manages differs by its own size from boot to boot.
const MEMORY: f64 = 0.05;

/// A machine against its reference.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HealthCheck {
    /// What follows.
    pub status: HealthStatus,
    /// Every compared cell, the worst first.
    pub cells: Vec<HealthCell>,
    /// What all cells share, where that alone is worse: a ratio minus 1.
    pub common: Option<f64>,
    /// By how much the worst cell may be worse, a ratio minus 1; null without cells.
    pub at_most: Option<f64>,
}

/// What a check gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HealthStatus {
    /// Nothing is worse.
    Ok,
    /// Something is.
    Worse,
    /// The figures do not decide.
    Undetermined,
}

/// A cell in both.
#[derive(Clone, Debug, PartialEq, Serialize)]
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

/// What was measured now against the reference.
pub fn check(reference: &Survey, now: &Survey) -> Result<HealthCheck, NothingInCommon> {
    let comparison = compare(reference, now, usual_between(&[reference, now]))?;
    let mut cells: Vec<HealthCell> = comparison
        .parts
        .iter()
        .flat_map(|part| part.cells.iter().filter_map(|cell| HealthCell::new(part, cell)))
        .collect();
    cells.sort_by(|a, b| b.is_worse.cmp(&a.is_worse).then(b.worse_by.total_cmp(&a.worse_by)));
    let common = comparison.parts.iter().filter_map(|part| {
        let common = part.common.filter(|common| common.real)?;
        let [low, _] = worse_by(part.unit, common.ci95);
        (low > FLOOR).then(|| worse_by(part.unit, [common.ratio; 2])[0])
    });
    let common = common.reduce(f64::max);
    let at_most = cells.iter().map(|cell| cell.ci95[1]).reduce(f64::max);
    let status = match at_most {
        _ if common.is_some() || cells.iter().any(|cell| cell.is_worse) => HealthStatus::Worse,
        Some(most) if most <= MOST_NOISE => HealthStatus::Ok,
        _ => HealthStatus::Undetermined,
    };
    Ok(HealthCheck { status, cells, common, at_most })
}

impl HealthCell {
    fn new(part: &PartChanges, cell: &CellChange) -> Option<Self> {
        let moved = cell.change?.moved;
        let [first, second] = cell.medians;
        let ci95 = worse_by(part.unit, moved.ci95);
        Some(Self {
            name: format!("{}, {}", part.part, cell.name()),
            unit: part.unit,
            medians: [first?, second?],
            worse_by: worse_by(part.unit, [moved.ratio; 2])[0],
            ci95,
            is_worse: moved.real && ci95[0] > FLOOR,
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
mod tests {
    use super::*;

    /// A survey whose cells are this many times as slow as the sketch's.
    fn times(factors: [f64; 4]) -> Survey {
        let mut survey = crate::sketch::survey();
        for (cell, factor) in survey.latency.cells.iter_mut().zip(factors) {
            let median = cell.median.unwrap() * factor;
            (cell.median, cell.se) = (Some(median), Some(0.003));
            cell.ci95 = Some([median * 0.994, median * 1.006]);
        }
        survey.latency.rows.iter_mut().for_each(|row| row.drift = Some(0.002));
        survey.provenance.processes = 9;
        survey.samples = None;
        survey
    }

    fn status(factors: [f64; 4]) -> HealthStatus {
        check(&times([1.0; 4]), &times(factors)).unwrap().status
    }

    #[test]
    fn one_slow_cell_is_worse_and_named() {
        let found = check(&times([1.0; 4]), &times([1.0, 1.2, 1.0, 1.0])).unwrap();
        assert_eq!(found.status, HealthStatus::Worse);
        assert!(found.cells[0].is_worse && found.cells[0].name.contains("node 1"), "{found:?}");
        assert_eq!(found.cells.iter().filter(|cell| cell.is_worse).count(), 1);
    }

    #[test]
    fn small_or_better_is_no_fault() {
        assert_eq!(status([1.0; 4]), HealthStatus::Ok);
        assert_eq!(status([1.02; 4]), HealthStatus::Ok);
        assert_eq!(status([0.7; 4]), HealthStatus::Ok);
        assert_eq!(status([1.3; 4]), HealthStatus::Worse);
    }

    #[test]
    fn noise_decides_nothing() {
        let mut noisy = times([1.1; 4]);
        noisy.latency.cells.iter_mut().for_each(|cell| cell.se = Some(0.3));
        let found = check(&times([1.0; 4]), &noisy).unwrap();
        assert_eq!(found.status, HealthStatus::Undetermined);
    }

    #[test]
    fn another_machine_is_refused_by_what_differs() {
        let reference = times([1.0; 4]).machine;
        assert_eq!(other_machine(&reference, &reference), []);
        let other = MachineSummary { nodes: 9, model: "Other".to_owned(), ..reference.clone() };
        let names: Vec<String> =
            other_machine(&reference, &other).into_iter().map(|one| one.what).collect();
        assert_eq!(names, ["model", "nodes"]);
        let kernel = MachineSummary { kernel: Some("7.0".to_owned()), ..reference.clone() };
        assert_eq!(other_machine(&reference, &kernel), []);
    }
}
