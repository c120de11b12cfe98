//! Which machines to test next: those with the most expected days of a fault that is not found.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use nearfar_infer::selector::{TestedMachine, undetected_days};

use crate::fleet::history::TimedMachine;
use crate::fleet::{FleetDocument, FleetHistory, FleetMachine, FleetSurveys};

const DAY_S: f64 = 86_400.0;

/// What is known of the machines of a fleet at a time.
#[derive(Clone, Debug)]
pub struct FleetTests {
    now: Timestamp,
    /// The first and the last survey of each machine, by name.
    times: HashMap<String, (Timestamp, Timestamp)>,
    /// Steps and drifts to a slower level, of each machine.
    faults: HashMap<String, f64>,
}

impl FleetSurveys {
    /// What selects the next machines to test. `history` has all changes.
    pub fn tests(&self, history: &FleetHistory, now: Timestamp) -> FleetTests {
        let machines = TimedMachine::groups(&self.surveys).into_iter().flatten();
        let times = machines.filter_map(|machine| Some((machine.name.clone(), machine.times()?)));
        let mut faults: HashMap<String, f64> = HashMap::new();
        for change in history.changes.iter().filter(|change| change.is_fault()) {
            *faults.entry(change.machine.clone()).or_default() += 1.0;
        }
        FleetTests { now, times: times.collect(), faults }
    }
}

impl FleetTests {
    /// Machines, the most urgent first. A machine that is slower now counts as one with a fault.
    pub fn next<'f>(&self, fleet: &'f FleetDocument) -> Vec<&'f FleetMachine> {
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
        let days = undetected_days(&tested);
        let mut order: Vec<usize> = (0..machines.len()).collect();
        order.sort_by(|one, other| days[*other].total_cmp(&days[*one]));
        order.into_iter().map(|at| machines[at]).collect()
    }

    fn tested(&self, machine: &FleetMachine, batch: usize, is_slower: bool) -> TestedMachine {
        let known = self.faults.get(&machine.name).copied().unwrap_or(0.0);
        let faults = if is_slower { known.max(1.0) } else { known };
        let days =
            |from: Timestamp, to: Timestamp| (to.as_second() - from.as_second()) as f64 / DAY_S;
        // Without a time, it is as old as any.
        let Some(&(first, last)) = self.times.get(&machine.name) else {
            return TestedMachine { batch, days: 0.0, faults, age: f64::MAX.sqrt() };
        };
        TestedMachine { batch, days: days(first, last), faults, age: days(last, self.now) }
    }
}
