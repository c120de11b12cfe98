//! Changes of machines over several surveys: since when, how much, and what else changed then.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use jiff::Timestamp;
use nearfar_infer::fleet::FleetFigure;
use nearfar_infer::history::{CellSeries, ChangeKind, LevelChange, MIN_SURVEYS, level_changes};
use serde::{Deserialize, Serialize};

use crate::fleet::cause::shared;
use crate::fleet::common::{CommonChange, common};
use crate::fleet::compared_cell::ComparedCell;
use crate::fleet::doubts::without_history;
use crate::fleet::naming::names;
use crate::fleet::survey_figures::figure_of_cost;
use crate::fleet::surveys::{FleetSurvey, FleetSurveys};
use crate::fleet::{
    CoursePoint, FleetCellName, FleetChange, FleetChangeKind, FleetCourse, FleetDirection,
    FleetFinding, FleetShape, SettingChange, natural_key, row_of,
};

/// The normal deviate of a 95 % interval.
const NORMAL_95: f64 = 1.96;

/// How machines changed over their surveys.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FleetHistory {
    /// Changes before this time are left out (RFC 3339).
    pub since: String,
    /// Machines with four or more surveys: fewer show no change.
    pub machines: usize,
    /// Surveys of these.
    pub surveys: usize,
    /// By machine, then by time.
    pub changes: Vec<FleetChange>,
    /// Those of them that several machines have at one time. Empty in documents of older versions.
    #[serde(default)]
    pub common: Vec<CommonChange>,
    /// Machines whose first survey is later.
    pub first_seen: Vec<String>,
    /// Machines whose last survey is earlier.
    pub not_seen: Vec<String>,
}

impl FleetSurveys {
    /// How machines changed since then. Changes below `floor` (a fraction) are none.
    pub fn history(&self, since: Timestamp, floor: f64) -> FleetHistory {
        let mut history = FleetHistory { since: since.to_string(), ..FleetHistory::default() };
        let groups = TimedMachine::groups(&self.surveys);
        for (number, machines) in groups.iter().enumerate() {
            for machine in machines {
                let Some((first, last)) = machine.times() else { continue };
                if first >= since && !machine.has_doubtful {
                    history.first_seen.push(machine.name.clone());
                }
                if last < since {
                    history.not_seen.push(machine.name.clone());
                }
                if machine.surveys.len() >= MIN_SURVEYS {
                    history.machines += 1;
                    history.surveys += machine.surveys.len();
                }
            }
            let compared = machines.iter().filter(|one| one.surveys.len() >= MIN_SURVEYS).count();
            let group = GroupSeries::new(number, machines, self);
            let mut changes = group.changes(floor, self, since);
            history.common.extend(common(&mut changes, compared, history.common.len(), floor));
            history.changes.extend(changes);
        }
        let begins = groups.iter().flatten().filter_map(TimedMachine::times).map(|it| it.0).min();
        if begins.is_none_or(|begins| since <= begins) {
            // No machine came later than the others.
            history.first_seen.clear();
        }
        let time = |change: &FleetChange| change.since.parse::<Timestamp>().ok();
        let key = |change: &FleetChange| (natural_key(&change.machine), time(change));
        history.changes.sort_by_cached_key(key);
        history
    }
}

/// Leaves out surveys of a machine, oldest first, up to the last of another board than the newest.
fn leave_out_earlier_boards(surveys: &mut Vec<&FleetSurvey>) {
    let newest = surveys.iter().rev().find_map(|survey| survey.board.as_ref());
    let is_other =
        |survey: &&FleetSurvey| survey.board.is_some() && survey.board.as_ref() != newest;
    let first = surveys.iter().rposition(is_other).map_or(0, |last| last + 1);
    surveys.drain(..first);
}

/// A machine's surveys of its newest shape and its newest board, oldest first.
pub(crate) struct TimedMachine<'s> {
    pub(crate) name: String,
    /// Earlier surveys are left out: their times are doubtful.
    has_doubtful: bool,
    surveys: Vec<&'s FleetSurvey>,
}

impl<'s> TimedMachine<'s> {
    /// By shape, in the order of a fleet's groups.
    pub(crate) fn groups(surveys: &'s [FleetSurvey]) -> Vec<Vec<Self>> {
        let mut known = HashSet::new();
        let doubtful = without_history(surveys);
        let mut by_name: BTreeMap<_, Vec<&FleetSurvey>> = BTreeMap::new();
        for (name, survey) in names(surveys).iter().zip(surveys) {
            let is_new = known.insert((survey.bytes.hash, survey.bytes.bytes));
            if is_new && survey.began.is_some() {
                by_name.entry(natural_key(name)).or_default().push(survey);
            }
        }
        let mut by_shape: BTreeMap<&FleetShape, Vec<Self>> = BTreeMap::new();
        for ((_, name), mut surveys) in by_name {
            surveys.sort_by_key(|survey| (survey.began, survey.place.number, survey.line));
            let has_doubtful = doubtful.contains_key(&name);
            if let Some(until) = doubtful.get(&name) {
                surveys.retain(|survey| survey.began > Some(*until));
            }
            surveys.dedup_by(|later, one| later.began == one.began);
            let Some(shape) = surveys.last().map(|newest| &*newest.shape) else { continue };
            surveys.retain(|survey| *survey.shape == *shape);
            leave_out_earlier_boards(&mut surveys);
            by_shape.entry(shape).or_default().push(Self { has_doubtful, name, surveys });
        }
        let mut groups: Vec<Vec<Self>> = by_shape.into_values().collect();
        groups.sort_by_key(|machines| std::cmp::Reverse(machines.len()));
        groups
    }

    pub(crate) fn times(&self) -> Option<(Timestamp, Timestamp)> {
        Some((self.surveys.first()?.began?, self.surveys.last()?.began?))
    }
}

/// The series of machines of one shape.
struct GroupSeries<'m> {
    group: usize,
    machines: &'m [TimedMachine<'m>],
    names: Vec<FleetCellName>,
    series: Vec<CellSeries>,
    /// Of each series: its machine, and its surveys as indexes of the machine's.
    of_series: Vec<(usize, Vec<usize>)>,
}

impl<'m> GroupSeries<'m> {
    fn new(group: usize, machines: &'m [TimedMachine<'m>], fleet: &FleetSurveys) -> Self {
        let all = machines.iter().flat_map(|machine| &machine.surveys);
        let mut known = BTreeSet::new();
        let cells = all.flat_map(|survey| survey.figures.iter().map(|(cell, _)| *cell));
        let numbers: Vec<u32> = cells.filter(|cell| known.insert(*cell)).collect();
        let names: Vec<FleetCellName> =
            numbers.iter().map(|&number| fleet.cells.name(number).clone()).collect();
        let compared = ComparedCell::all(&names);
        let mut found = Self {
            group,
            machines,
            names: compared.iter().map(|cell| cell.name.clone()).collect(),
            series: Vec::new(),
            of_series: Vec::new(),
        };
        for (at, machine) in machines.iter().enumerate() {
            if machine.surveys.len() < MIN_SURVEYS {
                continue;
            }
            let rows = machine.surveys.iter().map(|survey| row_of(&survey.figures, &numbers));
            let rows: Vec<Vec<Option<FleetFigure>>> = rows.collect();
            for (cell, compared) in compared.iter().enumerate() {
                let figures = rows.iter().enumerate();
                let figures = figures.filter_map(|(at, row)| Some((at, compared.figure(row)?)));
                let (surveys, figures): (Vec<usize>, Vec<FleetFigure>) = figures.unzip();
                found.series.push(CellSeries { machine: at, cell, figures });
                found.of_series.push((at, surveys));
            }
        }
        found
    }

    fn changes(&self, floor: f64, fleet: &FleetSurveys, since: Timestamp) -> Vec<FleetChange> {
        // Series are by machine, and so are their changes.
        let mut together: Vec<CellChanges> = Vec::new();
        let mut of_machine = 0;
        for change in level_changes(&self.series, floor) {
            let (machine, surveys) = &self.of_series[change.series];
            let between = change.between.map(|at| surveys[at]);
            let own = CellChanges {
                machine: *machine,
                between,
                first_after: surveys[change.first_after],
                cells: vec![change],
            };
            if together.last().is_some_and(|last| last.machine != own.machine) {
                of_machine = together.len();
            }
            match together[of_machine..].iter_mut().find(|other| other.is_same(&own)) {
                Some(same) => same.join(own),
                None => together.push(own),
            }
        }
        let changes = together.iter().map(|one| self.change(one, fleet));
        let is_later = |change: &FleetChange| {
            change.since.parse::<Timestamp>().is_ok_and(|began| began >= since)
        };
        changes.filter(is_later).collect()
    }

    fn change(&self, of: &CellChanges, fleet: &FleetSurveys) -> FleetChange {
        let machine = &self.machines[of.machine];
        let started = |survey: usize| machine.surveys[survey].started.clone();
        let mut findings: Vec<FleetFinding> =
            of.cells.iter().map(|change| self.finding(machine, change)).collect();
        let compared = self.series.iter().zip(&self.of_series);
        let compared = compared.filter(|(series, (of_machine, _))| {
            *of_machine == of.machine && series.figures.len() >= MIN_SURVEYS
        });
        let compared = compared.map(|(series, _)| &self.names[series.cell]);
        let singles: Vec<&FleetCellName> = compared.filter(|name| !name.is_of_all_rows()).collect();
        let mut causes = Vec::new();
        shared(&singles, &mut findings, &mut causes);
        let [before, after] = of.between.map(|survey| machine.surveys[survey]);
        FleetChange {
            machine: machine.name.clone(),
            kind: match of.cells[0].kind {
                ChangeKind::Step => FleetChangeKind::Step,
                ChangeKind::Drift => FleetChangeKind::Drift,
            },
            since: started(of.first_after),
            between: of.between.map(started),
            is_return: of.cells.iter().all(|change| change.is_return),
            findings,
            causes,
            settings: settings(before, after, fleet),
            course: Some(self.course(of, machine)),
            common: None,
        }
    }

    fn course(&self, of: &CellChanges, machine: &TimedMachine<'_>) -> FleetCourse {
        let cell_of = |change: &LevelChange| &self.names[self.series[change.series].cell];
        let of_all = of.cells.iter().find(|change| cell_of(change).is_of_all_rows());
        let change = of_all.unwrap_or(&of.cells[0]);
        let cell = cell_of(change).clone();
        let figures = &self.series[change.series].figures;
        let surveys = &self.of_series[change.series].1;
        let point = |(figure, survey): (&FleetFigure, &usize)| {
            let [one, other] = [-1.0, 1.0].map(|side| {
                figure_of_cost(cell.unit, figure.log + side * NORMAL_95 * figure.error)
            });
            CoursePoint {
                started: machine.surveys[*survey].started.clone(),
                figure: figure_of_cost(cell.unit, figure.log),
                ci95: [one.min(other), one.max(other)],
            }
        };
        FleetCourse { points: figures.iter().zip(surveys).map(point).collect(), cell }
    }

    fn finding(&self, machine: &TimedMachine<'_>, change: &LevelChange) -> FleetFinding {
        let series = &self.series[change.series];
        let cell = self.names[series.cell].clone();
        let log = series.figures[change.first_after].log;
        let is_slower = change.ratio > 1.0;
        FleetFinding {
            machine: machine.name.clone(),
            group: self.group,
            direction: if is_slower { FleetDirection::Slower } else { FleetDirection::Faster },
            figure: Some(figure_of_cost(cell.unit, log)),
            ratio: change.ratio,
            cell_ratio: Some(change.ratio),
            other_cells: None,
            is_relative: false,
            ci95: [change.low, change.high],
            p: change.p_value,
            q: change.q_value,
            cause: None,
            cell,
        }
    }
}

/// Changes of a machine's cells that may be one. Surveys are indexes of the machine's.
struct CellChanges {
    machine: usize,
    between: [usize; 2],
    first_after: usize,
    cells: Vec<LevelChange>,
}

impl CellChanges {
    fn is_same(&self, other: &Self) -> bool {
        let [own, others] = [&self.cells[0], &other.cells[0]];
        self.machine == other.machine
            && own.kind == others.kind
            && (own.ratio > 1.0) == (others.ratio > 1.0)
            && self.between[0] < other.between[1]
            && other.between[0] < self.between[1]
    }

    /// The time that both may have changed at; the cell with the shortest decides.
    fn join(&mut self, other: Self) {
        let length = |of: &Self| of.between[1] - of.between[0];
        if length(&other) < length(self) {
            self.first_after = other.first_after;
        }
        if self.cells[0].kind == ChangeKind::Step {
            let later = self.between[0].max(other.between[0]);
            self.between = [later, self.between[1].min(other.between[1])];
            self.first_after = self.first_after.clamp(self.between[0] + 1, self.between[1]);
        }
        self.cells.extend(other.cells);
    }
}

/// Settings that both surveys have, with other values.
fn settings(before: &FleetSurvey, after: &FleetSurvey, fleet: &FleetSurveys) -> Vec<SettingChange> {
    let later: BTreeMap<u32, u32> =
        after.statements.iter().filter_map(|(name, value)| Some((*name, (*value)?))).collect();
    let changed = before.statements.iter().filter_map(|(name, value)| {
        let (value, new) = ((*value)?, *later.get(name)?);
        (value != new).then(|| SettingChange {
            setting: fleet.texts.name(*name).clone(),
            before: fleet.texts.name(value).clone(),
            after: fleet.texts.name(new).clone(),
        })
    });
    let mut changed: Vec<SettingChange> = changed.collect();
    changed.sort_by(|one, other| one.setting.cmp(&other.setting));
    changed
}
