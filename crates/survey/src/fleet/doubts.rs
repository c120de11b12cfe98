//! Machines whose surveys, by their names or their times, may not be what they seem.

use std::collections::{BTreeMap, HashMap, HashSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::fleet::clocks::CLOCKS_DIFFER_S;
use crate::fleet::naming::names;
use crate::fleet::natural_key;
use crate::fleet::surveys::FleetSurvey;

/// What is doubtful about a machine's surveys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MachineDoubt {
    /// The machine's name.
    pub machine: String,
    /// How many of its surveys are doubtful.
    pub surveys: usize,
    /// Why they are.
    #[serde(flatten)]
    pub kind: DoubtKind,
}

/// Why surveys of a machine are doubtful.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum DoubtKind {
    /// None has a time that can be read: they are used, and show no change.
    NoTime {
        /// What stands there in one of them.
        started: String,
    },
    /// In a file, its times go back from line to line, by more than a day: the clock went back, or
    /// the file was put together in another order. It shows no change up to `until`.
    ClockWentBack {
        /// The file.
        file: String,
        /// The first line with an earlier time.
        line: usize,
        /// When the latest survey before that line began (RFC 3339).
        from: String,
        /// When the survey of that line began.
        to: String,
        /// The latest time that a doubtful survey came after.
        until: String,
    },
    /// One began before another one had ended: machines may share the name. It shows no change up
    /// to `until`.
    Overlap {
        /// When the last that overlaps an earlier one began (RFC 3339).
        until: String,
    },
    /// They have two shapes or more in turn: machines may share the name.
    ShapesInTurn,
    /// They have two boards or more in turn: machines may share the name.
    BoardsInTurn,
    /// Systems have this name by default.
    UsualName,
}

/// Times are written in whole seconds.
const ROUNDED_S: f64 = 2.0;
/// A machine that is repaired has another shape or board, and its own again.
const MAX_SHAPE_CHANGES: usize = 2;
/// Of a fleet of few machines, most clocks may be wrong.
const FEW_MACHINES: usize = 3;
/// Names that installers and images give.
const USUAL_NAMES: [&str; 16] = [
    "alma",
    "almalinux",
    "archlinux",
    "centos",
    "debian",
    "fedora",
    "host",
    "kali",
    "linux",
    "localhost",
    "opensuse",
    "raspberrypi",
    "rocky",
    "server",
    "ubuntu",
    "unknown",
];

/// By machine; of one machine, its clock first.
pub(crate) fn doubts(surveys: &[FleetSurvey]) -> Vec<MachineDoubt> {
    let mut known = HashSet::new();
    let mut by_name: BTreeMap<_, Vec<&FleetSurvey>> = BTreeMap::new();
    for (name, survey) in names(surveys).iter().zip(surveys) {
        if known.insert((survey.bytes.hash, survey.bytes.bytes)) {
            by_name.entry(natural_key(name)).or_default().push(survey);
        }
    }
    let jumps: Vec<Option<(usize, DoubtKind)>> =
        by_name.values_mut().map(|surveys| clock_went_back(surveys)).collect();
    let jumped = jumps.iter().flatten().count();
    // Where most go back, the file was put together in another order.
    let is_order = 2 * jumped > by_name.len() && jumped > FEW_MACHINES;
    let mut found = Vec::new();
    for (((_, machine), mut surveys), jump) in by_name.into_iter().zip(jumps) {
        let jump = jump.filter(|_| !is_order);
        surveys.sort_by_key(|survey| survey.began);
        let all = surveys.len();
        let other = no_time(&surveys).or_else(|| shared_name(&machine, &surveys));
        let kinds = jump.into_iter().chain(other.map(|kind| (all, kind)));
        found.extend(kinds.map(|(surveys, kind)| MachineDoubt {
            machine: machine.clone(),
            surveys,
            kind,
        }));
    }
    found
}

fn no_time(surveys: &[&FleetSurvey]) -> Option<DoubtKind> {
    let is_any = surveys.iter().any(|survey| survey.began.is_some());
    let started = || surveys.last().map(|survey| survey.started.clone());
    (!is_any).then(started).flatten().map(|started| DoubtKind::NoTime { started })
}

/// Surveys, oldest first, that may be of several machines.
fn shared_name(machine: &str, surveys: &[&FleetSurvey]) -> Option<DoubtKind> {
    let boards: Vec<&str> = surveys.iter().filter_map(|survey| survey.board.as_deref()).collect();
    let is_one_board = boards.len() == surveys.len() && boards.windows(2).all(|it| it[0] == it[1]);
    if surveys.len() < 2 || is_one_board {
        return None;
    }
    let changes = |differ: &dyn Fn(usize) -> bool, all: usize| {
        (1..all).filter(|&at| differ(at)).count() > MAX_SHAPE_CHANGES
    };
    let label = machine.split('.').next().unwrap_or_default().to_lowercase();
    if let Some(until) = last_overlap(surveys) {
        Some(DoubtKind::Overlap { until: until.to_string() })
    } else if changes(&|at| surveys[at].shape != surveys[at - 1].shape, surveys.len()) {
        Some(DoubtKind::ShapesInTurn)
    } else if changes(&|at| boards[at] != boards[at - 1], boards.len()) {
        Some(DoubtKind::BoardsInTurn)
    } else {
        USUAL_NAMES.contains(&&*label).then_some(DoubtKind::UsualName)
    }
}

/// When the last survey began that did so before the one before it had ended.
fn last_overlap(surveys: &[&FleetSurvey]) -> Option<Timestamp> {
    let second = |time: Timestamp| time.as_millisecond() as f64 / 1e3;
    let last = surveys.windows(2).rfind(|two| {
        let times = two[0].began.zip(two[1].began).zip(two[0].duration_s);
        // The same survey with other samples, or none.
        let is_copy = two[0].began == two[1].began && two[0].figures == two[1].figures;
        let overlaps = times.is_some_and(|((one, next), duration_s)| {
            second(next) + ROUNDED_S < second(one) + duration_s
        });
        overlaps && !is_copy
    });
    last?[1].began
}

/// Surveys of a machine that a file has after later ones.
fn clock_went_back(surveys: &mut [&FleetSurvey]) -> Option<(usize, DoubtKind)> {
    surveys.sort_by_key(|survey| (survey.place.number, survey.line));
    let mut latest: HashMap<usize, Timestamp> = HashMap::new();
    let mut first: Option<(&FleetSurvey, Timestamp)> = None;
    let (mut count, mut until) = (0, Timestamp::MIN);
    for survey in surveys.iter() {
        let Some(began) = survey.began else { continue };
        let latest = latest.entry(survey.place.number).or_insert(began);
        if latest.as_second() - began.as_second() > CLOCKS_DIFFER_S {
            first.get_or_insert((survey, *latest));
            (count, until) = (count + 1, until.max(*latest));
        }
        *latest = (*latest).max(began);
    }
    let (survey, from) = first?;
    let kind = DoubtKind::ClockWentBack {
        file: survey.place.file.to_string(),
        line: survey.line,
        from: from.to_string(),
        to: survey.started.clone(),
        until: until.to_string(),
    };
    Some((count, kind))
}

/// The machines whose surveys show no change, and up to when.
pub(crate) fn without_history(surveys: &[FleetSurvey]) -> HashMap<String, Timestamp> {
    let mut found: HashMap<String, Timestamp> = HashMap::new();
    for MachineDoubt { machine, kind, .. } in doubts(surveys) {
        if let DoubtKind::ClockWentBack { until, .. } | DoubtKind::Overlap { until } = kind {
            let until = until.parse().unwrap_or(Timestamp::MAX);
            let known = found.entry(machine).or_insert(until);
            *known = until.max(*known);
        }
    }
    found
}
