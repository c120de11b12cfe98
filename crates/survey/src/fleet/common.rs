//! Changes that many machines have at one time: a new kernel, a new BIOS, a warm room.

use jiff::Timestamp;
use nearfar_model::Unit;
use serde::{Deserialize, Serialize};

use crate::fleet::{FleetChange, FleetChangeKind, FleetDirection, SettingChange};

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
    /// Settings that changed on all of them at that time.
    pub settings: Vec<SettingChange>,
}

/// Cells of one instrument that changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CommonPart {
    /// The instrument's name.
    pub instrument: String,
    /// Its unit.
    pub unit: Unit,
    /// The smallest and the largest ratio of a cell's cost after the change to that before it.
    pub ratios: [f64; 2],
}

impl CommonChange {
    /// Whether at least half of the machines have it: it is not theirs, but the fleet's.
    pub fn is_of_most(&self) -> bool {
        2 * self.machines.len() >= self.compared
    }
}

/// Finds changes that machines of one shape have in common; each has its number, from `first`.
/// `compared` machines have a history.
pub(crate) fn common(
    changes: &mut [FleetChange],
    compared: usize,
    first: usize,
) -> Vec<CommonChange> {
    let least = MIN_MACHINES.max((MIN_SHARE * compared as f64).ceil() as usize);
    let mut found = Vec::new();
    for kind in [FleetChangeKind::Step, FleetChangeKind::Drift] {
        for direction in [FleetDirection::Slower, FleetDirection::Faster] {
            loop {
                let is_open = |one: &FleetChange| {
                    one.common.is_none() && one.kind == kind && one.direction() == direction
                };
                let mut members = at_one_time(changes.iter_mut().filter(|one| is_open(one)));
                if members.len() < least {
                    break;
                }
                for one in &mut members {
                    one.common = Some(first + found.len());
                }
                found.push(CommonChange::new(&members, direction, compared));
            }
        }
    }
    found
}

/// Those that may all have been at one time: the most that there are.
fn at_one_time<'c>(changes: impl Iterator<Item = &'c mut FleetChange>) -> Vec<&'c mut FleetChange> {
    let seconds = |time: &str| time.parse::<Timestamp>().ok().map(Timestamp::as_second);
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

impl CommonChange {
    fn new(members: &[&mut FleetChange], direction: FleetDirection, compared: usize) -> Self {
        let mut machines: Vec<String> = members.iter().map(|one| one.machine.clone()).collect();
        machines.dedup();
        let mut parts: Vec<CommonPart> = Vec::new();
        let findings = members.iter().flat_map(|one| &one.findings);
        for finding in findings.filter(|finding| finding.direction == direction) {
            let (instrument, unit, ratio) =
                (&finding.cell.instrument, finding.cell.unit, finding.ratio);
            match parts.iter_mut().find(|part| part.instrument == *instrument) {
                Some(CommonPart { ratios: [low, high], .. }) => {
                    (*low, *high) = (low.min(ratio), high.max(ratio));
                }
                None => parts.push(CommonPart {
                    instrument: instrument.clone(),
                    unit,
                    ratios: [ratio; 2],
                }),
            }
        }
        let is_of_all = |change: &&SettingChange| {
            members.iter().all(|one| one.settings.iter().any(|other| other == *change))
        };
        let since = || members.iter().map(|one| one.since.clone());
        Self {
            since: [since().min().unwrap_or_default(), since().max().unwrap_or_default()],
            is_return: members.iter().all(|one| one.is_return),
            settings: members[0].settings.iter().filter(is_of_all).cloned().collect(),
            machines,
            compared,
            direction,
            parts,
        }
    }
}
