//! Which machines to test next: those with the most expected days of a fault that is not found;
//! under a budget of minutes, also how thoroughly.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use nearfar_infer::selector::{TestMinutes, TestedMachine, Thoroughness, planned, undetected_days};
use nearfar_infer::trials::median;
use nearfar_model::Instrument;

use crate::fleet::naming::names;
use crate::fleet::surveys::FleetSurvey;
use crate::fleet::{FleetChange, FleetDocument, FleetHistory, FleetMachine, FleetSurveys};

const DAY_S: f64 = 86_400.0;
const MINUTE_S: f64 = 60.0;
/// The age of a test whose time is not known; a machine that was never tested thoroughly ran for so
/// long before it was tested at all.
const NEVER_DAYS: f64 = 365.0;
/// What surveys take where a fleet has none of that kind.
const USUAL: TestMinutes = TestMinutes { quick: 0.25, thorough: 10.0 };

/// The tests of a machine.
#[derive(Clone, Copy, Debug)]
struct TestTimes {
    first: Timestamp,
    last: Timestamp,
    last_thorough: Option<Timestamp>,
}

/// What is known of the machines of a fleet at a time.
#[derive(Clone, Debug)]
pub struct FleetTests {
    now: Timestamp,
    /// When each machine was tested, by name.
    times: HashMap<String, TestTimes>,
    takes: TestMinutes,
    /// Steps and drifts to a slower level, of each machine.
    faults: HashMap<String, f64>,
}

impl FleetSurveys {
    /// What selects the next machines to test. `history` has all changes.
    pub fn tests(&self, history: &FleetHistory, now: Timestamp) -> FleetTests {
        let cells = self.test_cells();
        // One of bandwidth alone is no test.
        let is_thorough = |survey: &FleetSurvey| {
            cells.iter().all(|of| survey.figures.iter().any(|(cell, _)| of.contains(cell)))
        };
        let mut times: HashMap<String, TestTimes> = HashMap::new();
        for (name, survey) in names(&self.surveys).into_iter().zip(&self.surveys) {
            let Some(began) = survey.began else { continue };
            let known = times.entry(name).or_insert(TestTimes {
                first: began,
                last: began,
                last_thorough: None,
            });
            known.first = known.first.min(began);
            known.last = known.last.max(began);
            if is_thorough(survey) {
                known.last_thorough = known.last_thorough.max(Some(began));
            }
        }
        let minutes = |thorough: bool| {
            let own = self.surveys.iter().filter(|survey| is_thorough(survey) == thorough);
            median(own.filter_map(|survey| Some(survey.duration_s? / MINUTE_S)))
        };
        let takes = TestMinutes {
            quick: minutes(false).unwrap_or(USUAL.quick),
            thorough: minutes(true).unwrap_or(USUAL.thorough),
        };
        let mut faults: HashMap<String, f64> = HashMap::new();
        // What most machines have at one time is no fault of theirs.
        let is_own = |change: &&FleetChange| {
            change.is_fault() && !change.common.is_some_and(|at| history.common[at].is_of_most())
        };
        for change in history.changes.iter().filter(is_own) {
            *faults.entry(change.machine.clone()).or_default() += 1.0;
        }
        FleetTests { now, times, takes, faults }
    }

    /// Cells of each instrument that a thorough survey has.
    fn test_cells(&self) -> [HashSet<u32>; 2] {
        [Instrument::Latency, Instrument::Bandwidth].map(|instrument| {
            let is_own = |number: &u32| self.cells.name(*number).instrument == instrument.name();
            self.cells.numbers().filter(is_own).collect()
        })
    }
}

impl FleetTests {
    /// Machines, the most urgent first. A machine that is slower now counts as one with a fault.
    pub fn next<'f>(&self, fleet: &'f FleetDocument) -> Vec<&'f FleetMachine> {
        let (machines, tested) = self.all_tested(fleet);
        let days = undetected_days(&tested);
        let mut order: Vec<usize> = (0..machines.len()).collect();
        order.sort_by(|one, other| days[*other].total_cmp(&days[*one]));
        order.into_iter().map(|at| machines[at]).collect()
    }

    /// What a test takes: as long as the fleet's surveys of its kind did, in the median.
    pub fn takes(&self) -> TestMinutes {
        self.takes
    }

    /// Machines to test quickly, and those to test thoroughly, in about this many minutes together;
    /// the most urgent first. Others than these names are left out.
    pub fn planned<'f>(
        &self,
        fleet: &'f FleetDocument,
        minutes: f64,
        is_name: impl Fn(&str) -> bool,
    ) -> [(Thoroughness, Vec<&'f FleetMachine>); 2] {
        let (machines, tested) = self.all_tested(fleet);
        let (machines, tested): (Vec<&FleetMachine>, Vec<TestedMachine>) =
            machines.into_iter().zip(tested).filter(|(machine, _)| is_name(&machine.name)).unzip();
        let plan = planned(&tested, self.takes, minutes);
        [Thoroughness::Quick, Thoroughness::Thorough].map(|kind| {
            let own = plan.iter().filter(|(_, how)| *how == kind);
            (kind, own.map(|(at, _)| machines[*at]).collect())
        })
    }

    fn all_tested<'f>(
        &self,
        fleet: &'f FleetDocument,
    ) -> (Vec<&'f FleetMachine>, Vec<TestedMachine>) {
        let mut machines: Vec<&FleetMachine> = Vec::new();
        let mut tested: Vec<TestedMachine> = Vec::new();
        let slower: HashSet<&str> =
            fleet.slower_machines().iter().map(|machine| machine.name.as_str()).collect();
        let mut batch = 0;
        for group in &fleet.groups {
            for machine in &group.machines {
                machines.push(machine);
                let of_batch = batch + machine.batch.unwrap_or(0);
                tested.push(self.tested(machine, of_batch, slower.contains(&*machine.name)));
            }
            batch += group.batches.len().max(1);
        }
        (machines, tested)
    }

    fn tested(&self, machine: &FleetMachine, batch: usize, is_slower: bool) -> TestedMachine {
        let known = self.faults.get(&machine.name).copied().unwrap_or(0.0);
        let faults = if is_slower { known.max(1.0) } else { known };
        let days =
            |from: Timestamp, to: Timestamp| (to.as_second() - from.as_second()) as f64 / DAY_S;
        let Some(TestTimes { first, last, last_thorough }) = self.times.get(&machine.name) else {
            let (age, thorough_age) = (NEVER_DAYS, NEVER_DAYS);
            return TestedMachine { batch, days: 0.0, faults, age, thorough_age };
        };
        // A machine without a thorough test is as one whose last was a while before its first.
        let thorough_age = match last_thorough {
            Some(time) => days(*time, self.now),
            None => days(*first, self.now) + NEVER_DAYS,
        };
        let (days, age) = (days(*first, *last), days(*last, self.now));
        TestedMachine { batch, days, faults, age, thorough_age }
    }
}
