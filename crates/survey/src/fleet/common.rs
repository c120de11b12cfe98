//! Changes that many machines have at one time: a new kernel, a new BIOS, a warm room.
//!
//! A change is one of many if it may be at their time, and is as large as theirs in each of its
//! cells. What is larger is the machine's own. Slow changes are not joined: they have no time.

use std::collections::HashMap;

use jiff::Timestamp;
use nearfar_infer::history::common_ratio;
use nearfar_infer::trials::median;
use nearfar_model::Unit;
use serde::{Deserialize, Serialize};

use crate::fleet::{
    FleetCellName, FleetChange, FleetChangeKind, FleetDirection, FleetFinding, SettingChange,
};

/// Fewer machines have no change in common, nor a smaller share of those of their shape.
const MIN_MACHINES: usize = 3;
const MIN_SHARE: f64 = 0.05;

/// A change that several machines of one shape have at one time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CommonChange {
    /// The machines, by name.
    pub machines: Vec<String>,
    /// How many have their shape, and surveys enough for a history.
    pub compared: usize,
    /// When the first and the last of them had its first survey with the new level.
    pub since: [String; 2],
    /// Whether they became slower or faster.
    pub direction: FleetDirection,
    /// Whether they are again as before their previous change.
    pub is_return: bool,
    /// By instrument.
    pub parts: Vec<CommonPart>,
    /// Settings that have a new value on all of them at that time. `before` is empty where they had
    /// different ones.
    pub settings: Vec<SettingChange>,
}

/// Cells of one instrument that changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CommonPart {
    /// The instrument's name.
    pub instrument: String,
    /// Its unit.
    pub unit: Unit,
    /// The mean over machines, each with the mean of its cells that changed, of the ratio of the
    /// cost after the change to that before it.
    pub ratio: f64,
    /// Its 95 % interval.
    pub ci95: [f64; 2],
}

impl CommonChange {
    /// Whether at least half of the machines have it: it is not theirs, but the fleet's.
    pub fn is_of_most(&self) -> bool {
        2 * self.machines.len() >= self.compared
    }
}

/// Finds changes that machines of one shape have in common; each has its number, from `first`.
/// `compared` machines have a history. Ratios are alike that differ by less than `floor`, a
/// fraction.
pub(crate) fn common(
    changes: &mut [FleetChange],
    compared: usize,
    first: usize,
    floor: f64,
) -> Vec<CommonChange> {
    let least = MIN_MACHINES.max((MIN_SHARE * compared as f64).ceil() as usize);
    let mut found: Vec<CommonChange> = Vec::new();
    for direction in [FleetDirection::Slower, FleetDirection::Faster] {
        loop {
            let is_open = |one: &FleetChange| {
                one.common.is_none()
                    && one.kind == FleetChangeKind::Step
                    && one.direction() == direction
            };
            let members = at_one_time(changes.iter_mut().filter(|one| is_open(one)));
            let mut members = alike(members, floor.ln_1p());
            if members.len() < least {
                break;
            }
            for one in &mut members {
                one.common = Some(first + found.len());
            }
            found.push(CommonChange::new(&members, direction, compared));
        }
    }
    found
}

/// Those that may all have been at one time: the most that there are.
fn at_one_time<'c>(changes: impl Iterator<Item = &'c mut FleetChange>) -> Vec<&'c mut FleetChange> {
    let span = |one: &FleetChange| Some([seconds(&one.between[0])?, seconds(&one.between[1])?]);
    let mut all: Vec<([i64; 2], &mut FleetChange)> =
        changes.filter_map(|one| Some((span(one)?, one))).collect();
    // Between two surveys: after the first one, up to the second.
    let mut ends: Vec<(i64, i32)> =
        all.iter().flat_map(|(span, _)| [(span[0] + 1, 1), (span[1] + 1, -1)]).collect();
    ends.sort_unstable();
    let (mut open, mut most) = (0, (0, 0));
    for (time, step) in ends {
        open += step;
        most = most.max((open, time));
    }
    let time = most.1;
    all.retain(|(span, _)| span[0] < time && time <= span[1]);
    all.into_iter().map(|(_, one)| one).collect()
}

fn seconds(time: &str) -> Option<i64> {
    time.parse::<Timestamp>().ok().map(Timestamp::as_second)
}

/// Those whose cells changed as much as the median of all, in cells that changed in most.
fn alike(mut changes: Vec<&mut FleetChange>, floor: f64) -> Vec<&mut FleetChange> {
    let mut by_cell: HashMap<&FleetCellName, Vec<f64>> = HashMap::new();
    for finding in changes.iter().flat_map(|one| &one.findings) {
        by_cell.entry(&finding.cell).or_default().push(finding.ratio.ln());
    }
    let of_most = by_cell.into_iter().filter(|(_, logs)| 2 * logs.len() > changes.len());
    let usual: HashMap<FleetCellName, f64> =
        of_most.filter_map(|(cell, logs)| Some((cell.clone(), median(logs)?))).collect();
    let is_usual = |one: &FleetFinding| {
        let [low, high] = one.ci95.map(f64::ln);
        usual.get(&one.cell).is_some_and(|log| low - floor < *log && *log < high + floor)
    };
    changes.retain(|one| one.findings.iter().all(is_usual));
    changes
}

impl CommonChange {
    fn new(members: &[&mut FleetChange], direction: FleetDirection, compared: usize) -> Self {
        let mut machines: Vec<String> = members.iter().map(|one| one.machine.clone()).collect();
        machines.dedup();
        let mut since: Vec<&String> = members.iter().map(|one| &one.since).collect();
        since.sort_by_key(|time| seconds(time));
        Self {
            since: [since[0].clone(), since[since.len() - 1].clone()],
            is_return: members.iter().all(|one| one.is_return),
            parts: parts(members, direction),
            settings: settings(members),
            machines,
            compared,
            direction,
        }
    }
}

fn parts(members: &[&mut FleetChange], direction: FleetDirection) -> Vec<CommonPart> {
    // Of each instrument, the mean of each machine.
    let mut by_instrument: Vec<(&str, Unit, Vec<f64>)> = Vec::new();
    for one in members {
        let mut own: Vec<(&str, Unit, Vec<f64>)> = Vec::new();
        for finding in one.findings.iter().filter(|finding| finding.direction == direction) {
            let (instrument, log) = (finding.cell.instrument.as_str(), finding.ratio.ln());
            match own.iter_mut().find(|(other, ..)| *other == instrument) {
                Some((.., logs)) => logs.push(log),
                None => own.push((instrument, finding.cell.unit, vec![log])),
            }
        }
        for (instrument, unit, logs) in own {
            let mean = (logs.iter().sum::<f64>() / logs.len() as f64).exp();
            match by_instrument.iter_mut().find(|(other, ..)| *other == instrument) {
                Some((.., means)) => means.push(mean),
                None => by_instrument.push((instrument, unit, vec![mean])),
            }
        }
    }
    let part = |(instrument, unit, means): (&str, Unit, Vec<f64>)| {
        let (ratio, ci95) = common_ratio(&means)?;
        Some(CommonPart { instrument: instrument.to_owned(), unit, ratio, ci95 })
    };
    by_instrument.into_iter().filter_map(part).collect()
}

/// Settings that all of them have a new value of.
fn settings(members: &[&mut FleetChange]) -> Vec<SettingChange> {
    let Some((first, others)) = members.split_first() else { return Vec::new() };
    let of_all = first.settings.iter().filter_map(|change| {
        let same = |one: &&mut FleetChange| -> Option<String> {
            let is_same = |other: &&SettingChange| {
                other.setting == change.setting && other.after == change.after
            };
            one.settings.iter().find(is_same).map(|other| other.before.clone())
        };
        let before: Vec<String> = others.iter().map(same).collect::<Option<_>>()?;
        let is_one = before.iter().all(|other| *other == change.before);
        let before = if is_one { change.before.clone() } else { String::new() };
        Some(SettingChange { before, ..change.clone() })
    });
    of_all.collect()
}
