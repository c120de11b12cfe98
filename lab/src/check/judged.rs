//! What a survey states beside its cells, held against the machine's description: what holds, what
//! does not, and what it left open.

mod claims;
mod classes;
mod hidden;
mod hidden_sentences;
mod links;
mod verdict;

use nearfar_infer::NumaVerdict;
use nearfar_infer::claims::ClaimCheck;
use nearfar_infer::classes::LatencyClass;
use nearfar_infer::hidden::PageFinding;
use nearfar_infer::links::Links;
use nearfar_infer::{NodeCosts, Numa};
use nearfar_model::CpuSet;
use nearfar_survey::{HiddenFinding, Survey};
use serde::Serialize;

use crate::machine::LabMachine;

pub(crate) use hidden::WHAT as HIDDEN_NODES;
pub(crate) use hidden_sentences::{HiddenTruth, judge_hidden_text};
pub(crate) use verdict::effect;

/// Costs that differ by no more than this are the same: what is left of rounding.
const SAME: f64 = 1.005;

/// One kind of statement, judged.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Judged {
    /// What was stated: "verdict", "hidden nodes", "classes", "links", "claims".
    pub(crate) what: &'static str,
    /// Statements that hold.
    pub(crate) right: usize,
    /// Statements that do not, a sentence each.
    pub(crate) wrong: Vec<String>,
    /// What the machine has and the survey does not report.
    pub(crate) missed: Vec<String>,
    /// 95 % intervals of ratios: how many contain the truth, and their number.
    pub(crate) intervals: [usize; 2],
    /// Sentences that no judge knows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) unjudged: Vec<String>,
}

impl Judged {
    pub(crate) fn new(what: &'static str) -> Self {
        Self {
            what,
            right: 0,
            wrong: Vec::new(),
            missed: Vec::new(),
            intervals: [0; 2],
            unjudged: Vec::new(),
        }
    }

    pub(crate) fn state(&mut self, holds: bool, wrong: impl FnOnce() -> String) {
        if holds {
            self.right += 1;
        } else {
            self.wrong.push(wrong());
        }
    }

    /// A 95 % interval of a ratio, and the ratio that was put in.
    fn interval(&mut self, [low, high]: [f64; 2], truth: f64) {
        let holds = low / SAME <= truth && truth <= high * SAME;
        self.intervals = [self.intervals[0] + usize::from(holds), self.intervals[1] + 1];
    }
}

/// A kind of pages that a search for hidden nodes found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FoundKind {
    /// What it costs CPUs, in the guest's nanoseconds, by row.
    pub(crate) costs: Vec<(CpuSet, f64)>,
}

/// What a search for hidden nodes came to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HiddenSearch {
    pub(crate) finding: HiddenFinding,
    /// Where nothing was found: a difference of this size would have been.
    pub(crate) down_to: Option<f64>,
    pub(crate) kinds: Vec<FoundKind>,
    /// Whether the number of kinds is the least, and not exact.
    pub(crate) is_least: bool,
}

/// What was inferred of a machine, by a survey or from a replay.
#[derive(Debug)]
pub(crate) struct Statements<'a> {
    pub(crate) verdict: &'a NumaVerdict,
    pub(crate) classes: &'a [LatencyClass],
    pub(crate) links: Option<&'a Links>,
    pub(crate) claims: &'a [ClaimCheck],
    pub(crate) search: Option<HiddenSearch>,
}

impl<'a> Statements<'a> {
    /// Those of a survey.
    pub(crate) fn from_survey(survey: &'a Survey) -> Self {
        Self {
            verdict: &survey.verdict,
            classes: survey.classes.as_ref().map_or(&[], |found| &found.classes),
            links: survey
                .links
                .as_ref()
                .filter(|found| found.refused.is_none())
                .map(|found| &found.links),
            claims: survey.claims_vs_measured.as_ref().map_or(&[], |measured| &measured.checks),
            search: survey.hidden.as_ref().map(HiddenSearch::from_hidden),
        }
    }

    pub(crate) fn judged(&self, machine: &LabMachine) -> Vec<Judged> {
        let mut judged =
            vec![verdict::judge(self, machine), hidden::judge(self.search.as_ref(), machine)];
        if machine.shows_nodes() {
            let truth = truth(machine);
            judged.push(classes::judge(self.classes, &truth));
            judged.extend(self.links.map(|links| links::judge(links, &truth)));
            judged.push(claims::judge(self.claims, machine));
        }
        judged
    }

    fn found_hidden_nodes(&self) -> bool {
        self.search.as_ref().is_some_and(|search| search.finding == HiddenFinding::Found)
    }
}

impl HiddenSearch {
    fn from_hidden(hidden: &nearfar_survey::Hidden) -> Self {
        let found = hidden.pages.found.finding == PageFinding::Found;
        let columns = if found { hidden.matrix.columns.len() } else { 0 };
        let cost = |row, column| hidden.matrix.cell(row, column).and_then(|cell| cell.median);
        let kind = |column: usize| {
            let rows = hidden.matrix.rows.iter().enumerate();
            FoundKind {
                costs: rows
                    .filter_map(|(at, row)| Some((row.cpus.clone(), cost(at, column)?)))
                    .collect(),
            }
        };
        Self {
            finding: hidden.finding,
            down_to: hidden.pages.found.down_to,
            kinds: (0..columns).map(kind).collect(),
            is_least: hidden.pages.count.as_ref().is_some_and(|count| !count.is_exact),
        }
    }
}

/// A smaller share of at least this many intervals is not 95 %: those of one row
/// share its own memory's error.
const FEW_INTERVALS: f64 = 0.75;
const MANY_INTERVALS: usize = 10;

/// How many intervals of ratios contain the truth, and their number.
pub(crate) fn intervals(judged: &[Judged]) -> [usize; 2] {
    judged
        .iter()
        .fold([0; 2], |[held, all], judged| [held + judged.intervals[0], all + judged.intervals[1]])
}

/// What does not hold; hidden nodes that were not found are among it.
pub(crate) fn objections(judged: &[Judged]) -> Vec<String> {
    let hidden = judged.iter().filter(|judged| judged.what == HIDDEN_NODES);
    let not_found = hidden
        .flat_map(|judged| &judged.missed)
        .map(|missed| format!("hidden nodes were not found: {missed}"));
    let mut objections: Vec<String> =
        judged.iter().flat_map(|judged| &judged.wrong).cloned().chain(not_found).collect();
    let [held, all] = intervals(judged);
    if all >= MANY_INTERVALS && (held as f64) < FEW_INTERVALS * all as f64 {
        objections.push(format!("{held} of {all} intervals of ratios contain the truth"));
    }
    objections
}

/// The costs that were put in, as inference takes published figures.
fn truth(machine: &LabMachine) -> NodeCosts {
    /// Nothing is uncertain, but inference needs some error.
    const HARDLY: f64 = 1e-4;
    let ids = |node: &crate::machine::NodeDescription| node.id.0;
    let (cpus, memory): (Vec<u32>, Vec<u32>) =
        (machine.cpu_nodes().map(ids).collect(), machine.memory_nodes().map(ids).collect());
    NodeCosts::from_matrix(&cpus, &memory, &machine.slowed(&machine.latency_ns()), HARDLY, 0)
}

/// What cannot be placed by whole pages.
fn is_interleaved(machine: &LabMachine) -> bool {
    machine.description.interleave.is_some()
}

fn is_yes(verdict: &NumaVerdict) -> bool {
    verdict.numa == Numa::Yes
}

#[cfg(test)]
mod tests;
