//! Sentences of drawn fleets, held against the truth and against the map's figures.

use std::collections::BTreeSet;
use std::sync::Arc;

use fastrand::Rng;
use nearfar_fleet::{DocumentPlace, DocumentReader, FleetDocument, FleetSettings, FleetSurveys};
use nearfar_report::fleet;

use crate::made_fleet::{MadeMachine, TWO_NODES, healthy, lines};

/// A slow memory: a machine, a node, and how much slower it is.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Slow {
    machine: usize,
    node: usize,
    by: f64,
}

/// A fleet of 16 or 30 machines: up to two with a slow memory, and in every third fleet a batch.
struct DrawnFleet {
    machines: Vec<MadeMachine>,
    slow: Vec<Slow>,
    /// The node that is slower in the batch, and the batch's first machine.
    batch: Option<(usize, usize)>,
}

impl DrawnFleet {
    fn new(seed: u64) -> Self {
        let rng = &mut Rng::with_seed(seed);
        let count = if rng.bool() { 16 } else { 30 };
        let mut machines = healthy(TWO_NODES, count, seed);
        let batch = (seed % 3 == 0).then(|| (rng.usize(..2), rng.usize(count / 3..=2 * count / 3)));
        if let Some((node, first)) = batch {
            for machine in &mut machines[first..] {
                *machine = machine.clone().with_slow_memory(node, 1.08);
            }
        }
        let mut slow: Vec<Slow> = Vec::new();
        for _ in 0..rng.usize(..3) {
            let one = Slow {
                machine: rng.usize(..count),
                node: batch.map_or(rng.usize(..2), |(node, _)| 1 - node),
                by: 0.08 + 0.12 * rng.f64(),
            };
            if slow.iter().all(|other| other.machine != one.machine) {
                let machine = &mut machines[one.machine];
                *machine = machine.clone().with_slow_memory(one.node, 1.0 + one.by);
                slow.push(one);
            }
        }
        Self { machines, slow, batch }
    }

    fn judged(&self) -> FleetDocument {
        let mut surveys = FleetSurveys::default();
        let place = DocumentPlace { number: 0, file: Arc::from("fleet.jsonl") };
        let text = lines(&self.machines);
        DocumentReader::new(text.as_bytes()).for_each(|document| surveys.add(&place, document));
        surveys.judge(FleetSettings { floor: 0.03 }).unwrap()
    }
}

/// Statements of one kind.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    right: usize,
    missed: usize,
    wrong: usize,
}

/// By kind: machines with their node and direction, figures, intervals, batches.
#[derive(Debug, Default)]
struct Tallies {
    machines: Tally,
    figures: Tally,
    batches: Tally,
    seeds: BTreeSet<u64>,
}

/// The sentence with spaces for line breaks.
fn sentences(text: &str) -> Vec<String> {
    let joined = text.replace("\n  ", " ");
    joined.lines().map(str::to_owned).collect()
}

/// "6.9" and "7.7" of "latency 6.9 to 7.7 % higher in".
fn figures(sentence: &str, after: &str) -> Option<[f64; 2]> {
    let rest = sentence.split_once(after)?.1.split_once(" %")?.0;
    let ends = rest.split_once(" to ").unwrap_or((rest, rest));
    Some([ends.0.trim().parse().ok()?, ends.1.trim().parse().ok()?])
}

impl Tallies {
    fn judge(&mut self, seed: u64) {
        let drawn = DrawnFleet::new(seed);
        let document = drawn.judged();
        let text = sentences(&fleet::text(&document));
        let before = self.machines.wrong + self.figures.wrong + self.batches.wrong;
        for slow in &drawn.slow {
            let start = format!("node{:02}: ", slow.machine + 1);
            let is_named = text.iter().any(|line| line.starts_with(&start));
            self.machines.missed += usize::from(!is_named);
        }
        for line in text.iter().filter(|line| line.starts_with("node")) {
            self.machine(&drawn, &document, line);
        }
        self.batches(&drawn, &text);
        if self.machines.wrong + self.figures.wrong + self.batches.wrong > before {
            self.seeds.insert(seed);
        }
    }

    fn machine(&mut self, drawn: &DrawnFleet, document: &FleetDocument, line: &str) {
        let name = &line[..6];
        let number: usize = name[4..].parse().unwrap();
        let truth = drawn.slow.iter().find(|slow| slow.machine + 1 == number);
        let is_right = truth.is_some_and(|slow| {
            line.contains("slower") && line.contains(&format!("node {}", slow.node))
        });
        let tally = &mut self.machines;
        *(if is_right { &mut tally.right } else { &mut tally.wrong }) += 1;
        let Some(slow) = truth else { return };
        let Some(stated) = figures(line, "latency ").or_else(|| figures(line, " is ")) else {
            self.figures.wrong += 1;
            return;
        };
        let shown = map_figures(document, name, slow.node, line);
        let is_of_map = stated.iter().all(|one| shown.iter().any(|it| (it - one).abs() < 0.06));
        let interval = figures(line, "95 %: ");
        let by = 100.0 * slow.by;
        // A healthy machine's interval holds in 95 %: wrong is what is off by another half.
        let is_true = interval.is_some_and(|[low, high]| {
            let margin = (high - low) / 2.0;
            (low - margin..=high + margin).contains(&by)
        });
        let tally = &mut self.figures;
        *(if is_of_map && is_true { &mut tally.right } else { &mut tally.wrong }) += 1;
    }

    fn batches(&mut self, drawn: &DrawnFleet, text: &[String]) {
        let stated = text.iter().find(|line| line.contains(" batches: "));
        match (stated, drawn.batch) {
            (None, None) => {}
            (None, Some(_)) => self.batches.missed += 1,
            (Some(_), None) => self.batches.wrong += 1,
            (Some(line), Some((node, first))) => {
                let last = drawn.machines.len();
                let members =
                    format!("node01-node{first:02} ({first} machines); node{:02}-", first + 1);
                let also = format!("-node{last:02} ({} machines)", last - first);
                let how = format!("memory of node {node} is slower");
                let is_stated = text.iter().any(|line| line.contains(&how));
                let is_right = line.contains(&members) && line.contains(&also) && is_stated;
                let tally = &mut self.batches;
                *(if is_right { &mut tally.right } else { &mut tally.wrong }) += 1;
            }
        }
    }

    fn wrong(&self) -> usize {
        self.machines.wrong + self.figures.wrong + self.batches.wrong
    }

    fn right(&self) -> usize {
        self.machines.right + self.figures.right + self.batches.right
    }
}

/// What the map shows of a machine's cells to this node, and to memory that the line names.
fn map_figures(document: &FleetDocument, name: &str, node: usize, line: &str) -> Vec<f64> {
    let group = &document.groups[0];
    let machine = group.machines.iter().find(|machine| machine.name == name).unwrap();
    let cells = group.cells.iter().zip(&machine.ratios);
    let column = format!("node {node}");
    let is_meant = |named: &str| named == column || line.contains(&format!("to {named} is"));
    let cells = cells.filter(|(cell, _)| is_meant(&cell.name.column));
    cells.filter_map(|(_, ratio)| Some((100.0 * ((*ratio)? - 1.0)).abs())).collect()
}

#[test]
fn sentences_of_drawn_fleets_are_true() {
    let mut tallies = Tallies::default();
    (1..=60).for_each(|seed| tallies.judge(seed));
    // Two of these fleets are wrong: a batch with a wrong member, a node taken for the machine.
    assert!(tallies.wrong() <= 4, "{tallies:?}");
    assert!(tallies.machines.right >= 40 && tallies.batches.right >= 12, "{tallies:?}");
}

#[test]
#[ignore = "long: a thousand fleets, a minute"]
fn sentences_of_a_thousand_drawn_fleets_are_true() {
    let mut tallies = Tallies::default();
    (1..=1000).for_each(|seed| tallies.judge(seed));
    println!("{tallies:?}");
    let all = tallies.wrong() + tallies.right();
    assert!(tallies.wrong() * 200 <= all, "{tallies:?}");
}
