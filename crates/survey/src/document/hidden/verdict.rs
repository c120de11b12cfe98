//! How what was found of hidden nodes bears on a survey's verdict.

use nearfar_infer::hidden::MAX_SHARE;
use nearfar_infer::{Numa, NumaReason, NumaVerdict, Remedy};
use nearfar_model::NodeSet;

use super::{Hidden, HiddenFinding};

/// Whether the largest share of the free memory holds what is needed, where another share of it
/// holds so much.
pub(super) fn can_hold(needed: u64, hold: u64, share: f64) -> bool {
    hold as f64 / share * MAX_SHARE >= needed as f64
}

impl Hidden {
    /// Nodes that were found make a verdict "yes" or take a "no" back, and so do doubts. A "yes"
    /// stays with its figures, and nothing here makes a "no".
    pub(crate) fn bear_on(&self, verdict: &mut NumaVerdict) {
        let pages = &self.pages.found;
        match (self.finding, pages.effect, pages.ci95) {
            (HiddenFinding::Found, Some(effect), Some(ci95)) => self.found(verdict, effect, ci95),
            _ => self.not_found(verdict),
        }
        verdict.reasons.extend(self.timeline.reason());
    }

    fn found(&self, verdict: &mut NumaVerdict, effect: f64, ci95: [f64; 2]) {
        let [low, high] = ci95;
        let is_small = high < verdict.threshold && verdict.effect.is_some();
        let is_taken = verdict.numa != Numa::Yes && !is_small;
        if is_taken {
            verdict.reasons.clear();
            (verdict.detected, verdict.p) = (true, self.pages.found.p);
            (verdict.effect, verdict.ci95) = (Some(effect), Some(ci95));
            let is_above = low > verdict.threshold;
            (verdict.numa, verdict.would_settle) = match is_above {
                true => (Numa::Yes, None),
                false => (Numa::Undetermined, Some(Remedy::SearchLonger)),
            };
        }
        let reasons = self.pages.found.reasons.iter().cloned();
        verdict.reasons.extend(reasons.map(|reason| NumaReason::HiddenNodes { reason }));
        verdict.reasons.push(match self.several_nodes() {
            Some(nodes) => NumaReason::SeveralNodes { nodes: nodes.clone() },
            None => NumaReason::NotShown,
        });
        let is_part = self.pages.count.as_ref().is_some_and(|count| !count.is_exact);
        if is_taken && is_part {
            verdict.reasons.push(NumaReason::MemoryNotSeen);
        }
    }

    fn not_found(&self, verdict: &mut NumaVerdict) {
        let pages = &self.pages;
        if self.finding == HiddenFinding::Interleaved {
            let reasons = self.lines.found.reasons.iter().cloned();
            verdict.reasons.extend(reasons.map(|reason| NumaReason::Lines { reason }));
            return;
        }
        let reasons = pages.found.reasons.iter().cloned();
        verdict.reasons.extend(reasons.map(|reason| NumaReason::NoHiddenNodes { reason }));
        let rows_differ = pages.found.rows_apart.is_some_and(|apart| apart > verdict.threshold);
        let is_doubtful = rows_differ || !self.timeline.jumps.is_empty();
        if is_doubtful && verdict.numa == Numa::No {
            verdict.numa = Numa::Undetermined;
        }
        if let Some(remedy) =
            pages.would_settle.clone().filter(|_| verdict.numa == Numa::Undetermined)
        {
            verdict.would_settle = Some(Remedy::HiddenNodes { remedy });
        }
    }

    /// The nodes that were looked at together, where they are several: these may be the ones that
    /// were found.
    pub fn several_nodes(&self) -> Option<&NodeSet> {
        self.pages.nodes.as_ref().filter(|nodes| nodes.iter().nth(1).is_some())
    }
}
