//! How what was found of hidden nodes bears on a survey's verdict.

use nearfar_infer::Numa;
use nearfar_infer::hidden::{Finding, LineFinding, Settling};
use nearfar_model::NodeSet;

use super::Hidden;
use crate::Verdict;

/// Nobody's machine is filled up: so much of the free memory may be held at most.
pub const LARGEST_SHARE: f64 = 0.75;

/// What settles it where even [`LARGEST_SHARE`] of the free memory is too little.
pub(super) const MORE_ROOM: &str =
    "memory and huge pages to spare: programs that end, or a larger memory limit of the cgroup, if there is one";

/// Whether the largest share of the free memory holds what is needed, where another share of it holds so much.
pub(super) fn can_hold(needed: u64, hold: u64, share: f64) -> bool {
    hold as f64 / share * LARGEST_SHARE >= needed as f64
}

/// In words; more memory is asked for only where so large a share was not tried yet.
pub(super) fn would_settle(settling: Settling, share: f64) -> String {
    let more = share < LARGEST_SHARE;
    let percent = 100.0 * LARGEST_SHARE;
    match settling {
        Settling::Pages if more => {
            format!("memory and huge pages to spare; nearfar hidden --share {percent:.0}% may have enough of them")
        }
        Settling::Pages => "memory and huge pages to spare: programs that end, or a fresh boot".to_owned(),
        Settling::MoreProcesses => "a quieter machine, or more processes: nearfar hidden --thorough".to_owned(),
        Settling::OtherCpus => {
            "CPUs to which the order of these pages turns round: without the limits on CPUs, if there are any"
                .to_owned()
        }
        Settling::OtherPages if more => {
            format!(
                "pages from elsewhere in this memory: nearfar hidden --share {percent:.0}% would settle it, as root"
            )
        }
        Settling::OtherPages => "pages from elsewhere in this memory: programs that end, or a fresh boot".to_owned(),
    }
}

impl Hidden {
    /// Nodes that were found make a verdict "yes" or take a "no" back, and so do doubts. A "yes" stays with its figures, and nothing here makes a "no".
    pub(crate) fn bear_on(&self, verdict: &mut Verdict) {
        let found = self.finding == Finding::Found.name();
        match (found, self.pages.effect, self.pages.ci95) {
            (true, Some(effect), Some(ci95)) => self.found(verdict, effect, ci95),
            _ => self.not_found(verdict),
        }
        verdict.reasons.extend(self.timeline.reason());
    }

    fn found(&self, verdict: &mut Verdict, effect: f64, ci95: [f64; 2]) {
        let [low, high] = ci95;
        let is_small = high < verdict.threshold && verdict.effect.is_some();
        if verdict.numa != Numa::Yes && !is_small {
            verdict.reasons.clear();
            (verdict.detected, verdict.p) = (true, self.pages.p);
            (verdict.effect, verdict.ci95) = (Some(effect), Some(ci95));
            (verdict.numa, verdict.would_settle) = match low > verdict.threshold {
                true => (Numa::Yes, None),
                false => (Numa::Undetermined, Some("nearfar hidden --thorough".to_owned())),
            };
        }
        verdict.reasons.extend(self.pages.reasons.iter().cloned());
        verdict.reasons.push(match self.several_nodes() {
            Some(nodes) => format!("these are pages of nodes {nodes}, taken together"),
            None => "the system does not show these nodes".to_owned(),
        });
    }

    fn not_found(&self, verdict: &mut Verdict) {
        let interleaved = self.finding == LineFinding::Interleaved.name();
        let rows_differ = self.pages.rows_apart.is_some_and(|apart| apart > verdict.threshold);
        let doubtful = rows_differ || !self.timeline.jumps.is_empty();
        if interleaved {
            verdict.reasons.extend(self.lines.reasons.iter().cloned());
        } else {
            verdict.reasons.extend(self.pages.reasons.iter().map(|reason| format!("hidden nodes: {reason}")));
            if doubtful && verdict.numa == Numa::No {
                verdict.numa = Numa::Undetermined;
            }
            if verdict.numa == Numa::Undetermined && self.pages.would_settle.is_some() {
                verdict.would_settle.clone_from(&self.pages.would_settle);
            }
        }
    }

    /// The nodes that were looked at together, where they are several: these may be the ones that
    /// were found.
    pub fn several_nodes(&self) -> Option<&NodeSet> {
        self.pages.nodes.as_ref().filter(|nodes| nodes.iter().nth(1).is_some())
    }
}
