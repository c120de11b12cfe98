//! The text of a fleet: each of its sentences against the fleet that was drawn.
//!
//! - A machine that is named has a fault in all of what is named, in that direction. A statement
//!   about a machine without one is a false alarm: on average 5 % of a fleet's may be, so these are
//!   counted by fleets, and not as wrong sentences, as intervals that miss are.
//! - Figures are those of the cells that are named, beside the median of the batch.
//! - Each batch that is stated is one drawn batch, or several: the text has "at least". A machine
//!   whose fault makes it truly more like another batch may be in either. Batches differ in what is
//!   named.

mod grammar;
#[cfg(test)]
mod tests;
mod verdict;

use std::collections::BTreeMap;

use nearfar_infer::trials::median;

use crate::check::judged::Judged;
use crate::random::fleet::{DrawnFleet, FleetMachine, MachinePart};

use grammar::{FleetSentence, StatedBatch, StatedBatches, Statement, Subject};

/// Figures have one decimal of a per cent, and intervals two ends that are rounded.
const ROUNDING: f64 = 7e-4;

/// What a fleet's text came to.
#[derive(Debug)]
pub(crate) struct JudgedFleet {
    pub(crate) sentences: Vec<Judged>,
    /// Of what is stated about machines: how much is about one without a fault, and all.
    pub(crate) false_alarms: [usize; 2],
}

/// Judges what `nearfar fleet` prints of a drawn fleet's documents.
pub(crate) fn judged(text: &str, fleet: &DrawnFleet) -> JudgedFleet {
    let sentences: Vec<FleetSentence> =
        joined(text).iter().map(|line| FleetSentence::parse(line)).collect();
    let mut judge = FleetJudge::new(fleet, &sentences);
    for sentence in &sentences {
        judge.sentence(sentence);
    }
    judge.verdicts(&sentences);
    judge.missed(&sentences);
    JudgedFleet { sentences: judge.kinds.into_values().collect(), false_alarms: judge.false_alarms }
}

/// Sentences go on in lines that are indented, and the verdict in any. How outliers were decided is
/// no sentence, and neither is what to do.
fn joined(text: &str) -> Vec<String> {
    const BOLD: [&str; 2] = ["\u{1b}[1m", "\u{1b}[0m"];
    let text = BOLD.iter().fold(text.to_owned(), |text, style| text.replace(style, ""));
    let text = text.replace("\n  ", " ");
    let others = ["On average", "not count", "What to do"];
    let is_method = |line: &&str| others.iter().any(|start| line.starts_with(start));
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()).filter(|line| !is_method(line)) {
        let is_open = |last: &&mut String| last.starts_with("Fleet: ") && !last.ends_with('.');
        match lines.last_mut().filter(is_open) {
            Some(verdict) => *verdict += &format!(" {line}"),
            None => lines.push(line.to_owned()),
        }
    }
    lines
}

struct FleetJudge<'f> {
    fleet: &'f DrawnFleet,
    /// Of each machine: the batch that is stated, the first without batches; none where that is
    /// unknown.
    batch_of: Vec<Option<usize>>,
    /// By how much each cell of each stated batch is slower than in the first drawn one.
    truths: Vec<Vec<f64>>,
    /// Of each stated batch: medians of cells, and behind them of means over all CPUs.
    centers: Vec<Vec<f64>>,
    kinds: BTreeMap<&'static str, Judged>,
    false_alarms: [usize; 2],
}

const MACHINES: &str = "machine: part and direction";
const FIGURES: &str = "machine: figures";
const UNCLEAR: &str = "machine: not clear, figures";
const NONE: &str = "no outlier";
const BATCHES: &str = "batches: number and machines";
const DIFFERENCES: &str = "batches: how they differ";
const BATCH_FIGURES: &str = "batches: figures";
const DRIFT: &str = "drift";
const OTHER: &str = "sentences of no known kind";

impl<'f> FleetJudge<'f> {
    fn new(fleet: &'f DrawnFleet, sentences: &[FleetSentence]) -> Self {
        let (batch_of, count) = stated_batches(fleet, sentences);
        let center = |of: &dyn Fn(&FleetMachine) -> Vec<f64>, batch: usize| -> Vec<f64> {
            let members = fleet.machines.iter().zip(&batch_of);
            let members = members.filter(|(_, own)| **own == Some(batch));
            let rows: Vec<Vec<f64>> = members.map(|(machine, _)| of(machine)).collect();
            let cells = rows.first().map_or(0, Vec::len);
            (0..cells).map(|cell| median(rows.iter().map(|row| row[cell])).unwrap_or(0.0)).collect()
        };
        let centers: Vec<Vec<f64>> =
            (0..count).map(|at| center(&|one| fleet.with_means(&one.logs), at)).collect();
        let truths: Vec<Vec<f64>> = (0..count)
            .map(|at| center(&|one| fleet.with_means(&fleet.batch(one.batch)), at))
            .collect();
        let kinds = BTreeMap::new();
        Self { fleet, batch_of, truths, centers, kinds, false_alarms: [0; 2] }
    }

    /// By how much each cell of a machine is shown to be slower than this batch.
    fn shown(&self, at: usize, batch: usize) -> Vec<f64> {
        less(&self.fleet.with_means(&self.fleet.machines[at].logs), &self.centers[batch])
    }

    /// By how much it truly is.
    fn truth(&self, at: usize, stated: usize) -> Vec<f64> {
        let machine = &self.fleet.machines[at];
        let batch = self.fleet.batch(machine.batch);
        let own: Vec<f64> = self
            .fleet
            .fault(machine)
            .iter()
            .zip(batch)
            .map(|(fault, batch)| fault + batch)
            .collect();
        less(&self.fleet.with_means(&own), &self.truths[stated])
    }

    fn of(&mut self, what: &'static str) -> &mut Judged {
        self.kinds.entry(what).or_insert_with(|| Judged::new(what))
    }

    fn sentence(&mut self, sentence: &FleetSentence) {
        match sentence {
            FleetSentence::Machine { name, statements } => self.machine(name, statements),
            FleetSentence::Unclear { name, statements } => self.unclear(name, statements),
            FleetSentence::Batches(stated) => self.batches(stated),
            FleetSentence::Differences { batch, statements } => {
                self.differences(*batch, statements);
            }
            FleetSentence::NoOutlier { would } => self.no_outlier(*would),
            FleetSentence::Drift { text, names, count } => self.drift(text, names, *count),
            // They are judged beside the other sentences.
            FleetSentence::Verdict(_) | FleetSentence::Head => {}
            FleetSentence::Other(text) => self.of(OTHER).unjudged.push(text.clone()),
        }
    }

    fn machine(&mut self, name: &str, statements: &[Statement]) {
        let fleet = self.fleet;
        let Some(at) = fleet.machines.iter().position(|machine| machine.name == name) else {
            self.of(MACHINES).wrong.push(format!("{name} is no machine"));
            return;
        };
        let machine = &fleet.machines[at];
        self.false_alarms[1] += statements.len();
        if machine.fault.is_none() {
            self.false_alarms[0] += statements.len();
            return;
        }
        // Of several possible batches, the one that figures are of.
        let stated = self.batch_of[at].unwrap_or_else(|| {
            let are_shown = |batch: &usize| {
                let shown = self.shown(at, *batch);
                statements.iter().all(|statement| self.are_shown(statement, &shown))
            };
            (0..self.centers.len()).find(are_shown).unwrap_or(0)
        });
        let (shown, truth) = (self.shown(at, stated), self.truth(at, stated));
        // Its own batch is the one that is true.
        let fault = match self.batch_of[at] {
            Some(_) => truth.clone(),
            None => fleet.with_means(&fleet.fault(machine)),
        };
        for statement in statements {
            let holds = self.is_true(statement, &fault);
            self.of(MACHINES)
                .state(holds, || format!("{name}: {statement:?} is stated of {:?}", machine.fault));
            self.figures(FIGURES, statement, &shown, &truth, holds);
        }
    }

    /// Figures are those of the named cell beside one of the batches, or beside the machine's other
    /// cells there, and in the interval; no fault is stated.
    fn unclear(&mut self, name: &str, statements: &[Statement]) {
        let at = self.fleet.machines.iter().position(|machine| machine.name == name);
        for one in statements {
            let is_of = |batch| at.is_some_and(|at| self.is_unclear(one, &self.shown(at, batch)));
            let holds = (0..self.centers.len()).any(is_of);
            self.of(UNCLEAR).state(holds, || format!("{name}: {one:?} is not clear"));
        }
    }

    fn is_unclear(&self, one: &Statement, shown: &[f64]) -> bool {
        let [low, high] = one.interval;
        let is_in = one.figures.iter().all(|it| (low..=high).contains(it));
        is_in
            && match one.is_relative {
                true => self.are_beside_others(one, shown),
                false => self.are_shown(one, shown),
            }
    }

    /// Other deviating cells of the machine do not count for its level, which lies among its cells.
    fn are_beside_others(&self, one: &Statement, shown: &[f64]) -> bool {
        let others = self.others(one, shown);
        let low = others.iter().copied().fold(f64::INFINITY, f64::min) - ROUNDING;
        let high = others.iter().copied().fold(f64::NEG_INFINITY, f64::max) + ROUNDING;
        let cells = self.for_subject(one, shown);
        one.figures.iter().all(|it| cells.iter().any(|cell| (low..=high).contains(&(cell - it))))
    }

    fn are_shown(&self, one: &Statement, shown: &[f64]) -> bool {
        let shown = self.for_subject(one, shown);
        one.figures.iter().all(|stated| shown.iter().any(|log| (log - stated).abs() < ROUNDING))
    }

    /// Figures are of the cells that are named; intervals are counted where what they are about is
    /// true.
    fn figures(
        &mut self,
        kind: &'static str,
        one: &Statement,
        shown: &[f64],
        truth: &[f64],
        is_true: bool,
    ) {
        let holds = self.are_shown(one, shown);
        let cells = self.for_subject(one, shown);
        self.of(kind).state(holds, || format!("{one:?} is stated, of cells {cells:.3?}"));
        if is_true {
            let truth = self.for_subject(one, truth);
            let truth = truth.iter().sum::<f64>() / truth.len().max(1) as f64;
            let [low, high] = one.interval;
            let intervals = &mut self.of(kind).intervals;
            let is_in = low - ROUNDING <= truth && truth <= high + ROUNDING;
            *intervals = [intervals[0] + usize::from(is_in), intervals[1] + 1];
        }
    }

    /// Whether all of what is named differs in that direction; beside the machine's other cells
    /// where it is compared with these.
    fn is_true(&self, one: &Statement, truth: &[f64]) -> bool {
        let named = self.for_subject(one, truth);
        let others = match one.is_relative {
            true => median(self.others(one, truth)).unwrap_or(0.0),
            false => 0.0,
        };
        let sign = if one.is_slower { 1.0 } else { -1.0 };
        !named.is_empty() && named.iter().all(|log| (log - others) * sign > 1e-9)
    }

    /// Values of the cells that are named; of a mean over all CPUs, one.
    fn for_subject(&self, one: &Statement, values: &[f64]) -> Vec<f64> {
        let (nodes, len) = (self.fleet.nodes, self.fleet.table_len());
        if let Subject::AllCpus { column } = one.subject {
            let at = self.fleet.tables * len + one.table * nodes + column;
            return values.get(at).copied().into_iter().collect();
        }
        let cells = values.iter().take(self.fleet.tables * len).enumerate();
        let table_cells = cells.skip(one.table * len).take(len);
        let named =
            table_cells.filter(|(cell, _)| one.subject.has(cell % len / nodes, cell % nodes));
        named.map(|(_, value)| *value).collect()
    }

    fn others(&self, one: &Statement, values: &[f64]) -> Vec<f64> {
        let (nodes, len) = (self.fleet.nodes, self.fleet.table_len());
        let all = values.iter().take(self.fleet.tables * len).enumerate();
        let others = all.filter(|(cell, _)| !one.subject.has(cell % len / nodes, cell % nodes));
        others.map(|(_, value)| *value).collect()
    }

    fn batches(&mut self, stated: &StatedBatches) {
        let fleet = self.fleet;
        let of_batch = |batch: usize| {
            let is_like_it = move |it: &&FleetMachine| fleet.nearest_batch(it) == batch;
            let members = fleet.machines.iter().filter(move |machine| machine.batch == batch);
            members.filter(is_like_it).map(|machine| machine.name.as_str())
        };
        let mut wrong = Vec::new();
        for batch in 0..=fleet.batches.len() {
            let members_stated = |one: &StatedBatch| {
                of_batch(batch).filter(|name| one.names.iter().any(|other| other == name)).count()
            };
            let counts: Vec<usize> = stated.batches.iter().map(members_stated).collect();
            if counts.iter().filter(|count| **count > 0).count() > 1 {
                wrong.push(format!("of batch {batch} are {counts:?}"));
            }
        }
        for one in
            stated.batches.iter().filter(|batch| batch.size != batch.names.len() && !batch.has_more)
        {
            wrong.push(format!("{} are {}", one.names.len(), one.size));
        }
        // Members of later ranges are not printed.
        let named: usize = stated.batches.iter().map(|batch| batch.size).sum();
        if named + stated.unsure.len() != fleet.machines.len() {
            wrong.push(format!("{named} machines of {}", fleet.machines.len()));
        }
        self.of(BATCHES).state(wrong.is_empty(), || wrong.join(", "));
        if stated.batches.len() < fleet.batches.len() + 1 {
            self.of(BATCHES).missed.push(format!("{} batches", stated.batches.len()));
        }
        if stated.unsure.len() * 10 > fleet.machines.len() {
            self.of(BATCHES).missed.push(format!("{} are in none", stated.unsure.len()));
        }
    }

    fn differences(&mut self, batch: usize, statements: &[Statement]) {
        if batch >= self.centers.len() {
            self.of(DIFFERENCES).wrong.push(format!("there is no batch {batch}"));
            return;
        }
        let truth = less(&self.truths[batch], &self.truths[0]);
        let shown = less(&self.centers[batch], &self.centers[0]);
        for statement in statements {
            let holds = self.is_true(statement, &truth);
            let drawn = &self.fleet.batches;
            self.of(DIFFERENCES).state(holds, || format!("{statement:?} is stated of {drawn:?}"));
            self.figures(BATCH_FIGURES, statement, &shown, &truth, holds);
        }
    }

    /// No machine whose batch is known has a fault of the size that would be an outlier; without a
    /// size, of any.
    fn no_outlier(&mut self, would: Option<[f64; 2]>) {
        let [cell, machine] = would.unwrap_or([0.0; 2]);
        let cells = self.fleet.tables * self.fleet.table_len();
        let mut larger = Vec::new();
        for (at, one) in self.fleet.machines.iter().enumerate() {
            let (Some(fault), Some(batch)) = (one.fault, self.batch_of[at]) else { continue };
            let least = if fault.part == MachinePart::Machine { machine } else { cell };
            let covered = self.fleet.fault(one);
            let truth = self.truth(at, batch);
            let of_fault =
                truth.iter().zip(&covered).take(cells).filter(|(_, fault)| **fault > 0.0);
            if of_fault.map(|(log, _)| *log).fold(f64::INFINITY, f64::min) > least {
                larger.push(fault);
            }
        }
        self.of(NONE).state(larger.is_empty(), || format!("not above {would:?}: {larger:?}"));
    }

    /// Names and their number, of one firmware.
    fn drift(&mut self, text: &str, names: &[String], count: usize) {
        let fleet = self.fleet;
        let with = |machine: &&FleetMachine| {
            let firmware = fleet.firmware(machine);
            text.contains(&format!("firmware version: {firmware} "))
        };
        let all: Vec<&str> =
            fleet.machines.iter().filter(with).map(|machine| machine.name.as_str()).collect();
        let holds = count == all.len() && names.iter().all(|name| all.contains(&name.as_str()));
        self.of(DRIFT).state(holds, || text.to_owned());
    }

    /// Faults and batches that no sentence has.
    fn missed(&mut self, sentences: &[FleetSentence]) {
        let fleet = self.fleet;
        let is_named = |machine: &FleetMachine| {
            sentences.iter().any(|sentence| sentence.machine() == Some(&machine.name))
        };
        let with_fault = fleet.machines.iter().filter(|machine| machine.fault.is_some());
        for machine in with_fault.filter(|machine| !is_named(machine)) {
            let missed = format!("{}: {:?}", machine.name, machine.fault);
            self.of(MACHINES).missed.push(missed);
        }
        let are_stated = sentences.iter().any(|sentence| sentence.batches().is_some());
        if !fleet.batches.is_empty() && !are_stated {
            self.of(BATCHES).missed.push(format!("{:?}", fleet.batches));
        }
    }
}

/// The stated batch of each machine, and their number. Of names that are not printed, the drawn
/// batch is taken.
fn stated_batches(fleet: &DrawnFleet, sentences: &[FleetSentence]) -> (Vec<Option<usize>>, usize) {
    let Some(stated) = sentences.iter().find_map(FleetSentence::batches) else {
        return (vec![Some(0); fleet.machines.len()], 1);
    };
    let with = |name: &String| stated.batches.iter().position(|batch| batch.names.contains(name));
    let of_drawn = |batch: usize| {
        let members = fleet.machines.iter().filter(|machine| machine.batch == batch);
        members.filter_map(|machine| with(&machine.name)).next()
    };
    let of_machine = |machine: &FleetMachine| {
        let is_known = !stated.unsure.contains(&machine.name);
        with(&machine.name).or_else(|| of_drawn(machine.batch)).filter(|_| is_known)
    };
    (fleet.machines.iter().map(of_machine).collect(), stated.batches.len())
}

fn less(values: &[f64], others: &[f64]) -> Vec<f64> {
    values.iter().zip(others).map(|(value, other)| value - other).collect()
}
