//! Sentences about hidden nodes, each against the description: numbers of nodes, CPUs, shares of
//! pages, and the effect.

use std::collections::BTreeSet;

use nearfar_model::CpuSet;

use super::Judged;
use crate::machine::LabMachine;

/// Memories at a smaller distance are one kind for all CPUs, as a logarithm (4 %).
const SAME: f64 = 0.039;
/// What a sentence's resolution is, where it gives none.
const USUAL_RESOLUTION: f64 = 0.12;
/// How far a share of pages may be off: few pages are drawn.
const SHARE: f64 = 0.035;
/// How far an effect may be off, as a fraction.
const EFFECT: f64 = 0.03;

/// What a search for hidden nodes had before it.
#[derive(Debug)]
pub(crate) struct HiddenTruth<'a> {
    pub(crate) machine: &'a LabMachine,
    /// CPUs that were measured.
    pub(crate) measured: CpuSet,
    /// Share of the pages, by node with memory; zero where none was seen.
    pub(crate) pages: Vec<f64>,
}

/// Judges each sentence of a text: one statement of each kind that it makes.
pub(crate) fn judge_hidden_text(text: &str, truth: &HiddenTruth<'_>) -> Vec<Judged> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut judged = vec![
        truth.number(&text),
        truth.near(&text),
        truth.near_no_cpu(&text),
        truth.near_none(&text),
        truth.left_out(&text),
        truth.unseen(&text),
        truth.effect(&text),
    ];
    judged.retain(|one| one.right + one.wrong.len() + one.missed.len() > 0);
    judged
}

/// The texts between each `before` and the next `after`; the nearest `before` counts.
fn between<'t>(text: &'t str, before: &str, after: &str) -> Vec<&'t str> {
    let ends = text.match_indices(after).map(|(at, _)| at);
    let part = |end: usize| {
        let begin = text[..end].rfind(before)? + before.len();
        Some(text[begin..end].trim())
    };
    ends.filter_map(part).collect()
}

/// The number at the beginning of a text.
fn number(text: &str) -> Option<f64> {
    text.split_whitespace().next()?.trim_end_matches([',', '.', ':']).parse().ok()
}

impl HiddenTruth<'_> {
    fn cost(&self, row: usize, node: usize) -> f64 {
        self.machine.latency_ns()[row][node]
    }

    fn rows(&self) -> usize {
        self.machine.cpu_nodes().count()
    }

    /// Rows of the description with CPUs that were measured.
    fn measured_rows(&self) -> Vec<usize> {
        let rows = self.machine.cpu_nodes().enumerate();
        rows.filter(|(_, node)| !node.cpus.intersection(&self.measured).is_empty())
            .map(|(row, _)| row)
            .collect()
    }

    fn seen(&self) -> Vec<usize> {
        (0..self.pages.len()).filter(|node| self.pages[*node] > 0.0).collect()
    }

    /// Nodes that these rows do not distinguish, down to a distance.
    fn kinds(&self, nodes: &[usize], rows: &[usize], distance: f64) -> Vec<Vec<usize>> {
        let is_same = |a: usize, b: usize| {
            rows.iter().all(|&row| (self.cost(row, b) / self.cost(row, a)).ln().abs() < distance)
        };
        let mut kinds: Vec<Vec<usize>> = Vec::new();
        for &node in nodes {
            let (same, mut others): (Vec<_>, Vec<_>) = kinds
                .into_iter()
                .partition(|kind: &Vec<usize>| kind.iter().any(|known| is_same(*known, node)));
            let mut joined = same.concat();
            joined.push(node);
            others.push(joined);
            kinds = others;
        }
        kinds
    }

    fn resolution(text: &str) -> f64 {
        let given = between(text, "Nodes less than", "% apart may count as one");
        let given = given.first().and_then(|text| number(text));
        given.map_or(USUAL_RESOLUTION, |percent| (percent / 100.0).ln_1p())
    }

    /// "hides 4 nodes", "hides at least 2 nodes".
    fn number(&self, text: &str) -> Judged {
        let mut judged = Judged::new("number of nodes");
        let every: Vec<usize> = (0..self.pages.len()).collect();
        let all_rows: Vec<usize> = (0..self.rows()).collect();
        let (seen, rows) = (self.seen(), self.measured_rows());
        let coarse = self.kinds(&seen, &rows, Self::resolution(text)).len();
        let fine = self.kinds(&seen, &rows, SAME).len();
        let in_all = [
            self.kinds(&every, &all_rows, Self::resolution(text)).len(),
            self.kinds(&every, &all_rows, SAME).len(),
        ];
        let Some(stated) = between(text, "This machine hides", "nodes:").first().copied() else {
            if coarse > 1 && rows.len() > 1 {
                judged.missed.push(format!("{coarse} kinds of pages were not found"));
            }
            return judged;
        };
        let least = stated.strip_prefix("at least");
        let Some(stated) = number(least.unwrap_or(stated)) else { return judged };
        let stated = stated as usize;
        let is_part = seen.len() < every.len() || rows.len() < all_rows.len();
        match least {
            Some(_) if stated > in_all[1] || stated > fine => judged
                .wrong
                .push(format!("at least {stated} nodes are stated, {fine} kinds were seen")),
            Some(_) if !is_part => {
                judged.missed.push(format!("at least {stated}, and all {} were seen", in_all[1]));
            }
            Some(_) if stated < coarse => {
                judged.missed.push(format!("at least {stated} of {coarse} kinds seen"));
            }
            Some(_) => judged.right += 1,
            None => judged.state((in_all[0]..=in_all[1]).contains(&stated), || {
                format!("{stated} nodes are stated, there are {}", in_all[1])
            }),
        }
        judged
    }

    /// The nodes that CPUs of a row are near: the cheapest of all.
    fn nearest(&self, row: usize) -> BTreeSet<usize> {
        let all = 0..self.pages.len();
        let least = all.clone().map(|node| self.cost(row, node)).fold(f64::INFINITY, f64::min);
        all.filter(|node| (self.cost(row, *node) / least).ln() < SAME).collect()
    }

    /// The rows of these CPUs.
    fn rows_of(&self, cpus: &CpuSet) -> Vec<usize> {
        let rows = self.machine.cpu_nodes().enumerate();
        rows.filter(|(_, node)| !node.cpus.intersection(cpus).is_empty())
            .map(|(row, _)| row)
            .collect()
    }

    /// "CPUs 0-1 are near 25 % of the pages".
    fn near(&self, text: &str) -> Judged {
        let mut judged = Judged::new("CPUs near a share of pages");
        let mut named = CpuSet::new();
        for stated in between(text, "CPUs", "% of the pages") {
            let Some((cpus, share)) = stated.split_once(" are near ") else { continue };
            let (Ok(cpus), Some(percent)) = (CpuSet::parse_list(cpus), number(share)) else {
                continue;
            };
            named = named.union(&cpus);
            let is_near = self.rows_of(&cpus).iter().all(|row| {
                let near = self.nearest(*row);
                near.iter().any(|node| self.pages[*node] > 0.0)
                    && self.has_share(&near, percent / 100.0, Self::resolution(text))
            });
            judged.state(is_near, || format!("CPUs {cpus} are near {percent} % of the pages"));
        }
        if text.contains("This machine hides") {
            for row in self.measured_rows() {
                let node = self.machine.cpu_nodes().nth(row);
                let is_named = node.is_none_or(|node| !node.cpus.intersection(&named).is_empty());
                let has_memory = self.nearest(row).iter().any(|node| self.pages[*node] > 0.0);
                if has_memory && !is_named {
                    judged.missed.push(format!("node {row}'s CPUs are near pages"));
                }
            }
        }
        judged
    }

    /// Whether the kind of pages that these nodes are of has this share. Nodes between the finest
    /// and the coarsest distance may count to it or not.
    fn has_share(&self, nodes: &BTreeSet<usize>, share: f64, resolution: f64) -> bool {
        let own = |distance: f64| {
            let kinds = self.kinds(&self.seen(), &self.measured_rows(), distance);
            let own = kinds.into_iter().filter(|kind| kind.iter().any(|node| nodes.contains(node)));
            own.flatten().map(|node| self.pages[node]).sum::<f64>()
        };
        let least = nodes.iter().map(|node| self.pages[*node]).filter(|share| *share > 0.0);
        let least = least.fold(f64::INFINITY, f64::min);
        least - SHARE <= share && share <= own(resolution) + SHARE
    }

    /// "no CPU is near 18 % of the pages".
    fn near_no_cpu(&self, text: &str) -> Judged {
        let mut judged = Judged::new("pages that no CPU is near");
        for who in ["no CPU is near", "no measured CPU is near"] {
            for stated in between(text, who, "% of the pages") {
                let Some(percent) = number(stated).filter(|_| !stated.contains("CPU")) else {
                    continue;
                };
                let rows: Vec<usize> = match who {
                    "no CPU is near" => (0..self.rows()).collect(),
                    _ => self.measured_rows(),
                };
                let near: BTreeSet<usize> =
                    rows.iter().flat_map(|row| self.nearest(*row)).collect();
                let far = self.seen().into_iter().filter(|node| !near.contains(node));
                let far: Vec<f64> = far.map(|node| self.pages[node]).collect();
                let (least, all) =
                    (far.iter().copied().fold(f64::INFINITY, f64::min), far.iter().sum::<f64>());
                let share = percent / 100.0;
                let is_far = least - SHARE <= share && share <= all + SHARE;
                judged.state(is_far, || format!("no CPU is near {percent} % of the pages"));
            }
        }
        judged
    }

    /// "CPUs 4-7 are near none of the pages that were seen".
    fn near_none(&self, text: &str) -> Judged {
        let mut judged = Judged::new("CPUs near no page");
        let mut named = CpuSet::new();
        for stated in between(text, "CPUs", "are near none of the pages") {
            let Ok(cpus) = CpuSet::parse_list(stated) else { continue };
            named = named.union(&cpus);
            let is_far = self
                .rows_of(&cpus)
                .iter()
                .all(|row| self.nearest(*row).iter().all(|node| self.pages[*node] == 0.0));
            judged.state(is_far, || format!("CPUs {cpus} are near none of the pages"));
        }
        if text.contains("This machine hides") {
            for row in self.measured_rows() {
                let node = self.machine.cpu_nodes().nth(row);
                let is_named = node.is_none_or(|node| !node.cpus.intersection(&named).is_empty());
                let is_far = self.nearest(row).iter().all(|node| self.pages[*node] == 0.0);
                if is_far && !is_named {
                    judged.missed.push(format!("node {row}'s CPUs are near no page"));
                }
            }
        }
        judged
    }

    /// "CPUs 8-9 were not measured".
    fn left_out(&self, text: &str) -> Judged {
        let mut judged = Judged::new("CPUs not measured");
        let all = self.machine.cpu_nodes().fold(CpuSet::new(), |all, node| all.union(&node.cpus));
        let truth = all.difference(&self.measured);
        let stated = between(text, "CPUs", "were not measured");
        let stated = stated.first().and_then(|cpus| CpuSet::parse_list(cpus).ok());
        match stated {
            Some(cpus) => {
                judged.state(cpus == truth, || format!("CPUs {cpus} were not measured"));
            }
            None if !truth.is_empty() && text.contains("This machine hides") => {
                judged.missed.push(format!("CPUs {truth} were left out"));
            }
            None => {}
        }
        judged
    }

    /// "25 % of the memory were not looked at".
    fn unseen(&self, text: &str) -> Judged {
        let mut judged = Judged::new("memory not looked at");
        let sizes: Vec<f64> = self
            .machine
            .memory_nodes()
            .map(|node| node.memory.map_or(0.0, |memory| memory.0 as f64))
            .collect();
        let unseen = sizes.iter().zip(&self.pages).filter(|(_, pages)| **pages == 0.0);
        let truth: f64 = unseen.map(|(size, _)| size).sum::<f64>() / sizes.iter().sum::<f64>();
        for (end, _) in text.match_indices(" % of the memory were not looked at") {
            let percent = text[..end].split_whitespace().next_back().and_then(number);
            let Some(percent) = percent else { continue };
            let is_right = (percent / 100.0 - truth).abs() <= SHARE && truth > 0.0;
            judged.state(is_right, || {
                format!("{percent} % are not looked at, {:.0} % in truth", 100.0 * truth)
            });
        }
        judged
    }

    /// "Remote memory has up to 2.33 times the local latency", "... at least 1.66 times".
    fn effect(&self, text: &str) -> Judged {
        let mut judged = Judged::new("effect");
        let largest = |rows: Vec<usize>, nodes: &[usize]| {
            let ratio = |row: usize| {
                let costs = nodes.iter().map(|node| self.cost(row, *node));
                costs.clone().fold(0.0, f64::max) / costs.fold(f64::INFINITY, f64::min)
            };
            rows.into_iter().map(ratio).fold(1.0, f64::max)
        };
        let every: Vec<usize> = (0..self.pages.len()).collect();
        let truth = largest((0..self.rows()).collect(), &every);
        let measured = largest(self.measured_rows(), &every);
        let seen = largest(self.measured_rows(), &self.seen());
        for stated in between(text, "has up to", "times the local latency") {
            let Some(times) = number(stated) else { continue };
            judged.state((times / measured - 1.0).abs() <= EFFECT, || {
                format!("up to {times:.2} times, {measured:.2} in truth")
            });
        }
        for after in ["times the local latency", "times the latency of the fastest."] {
            for stated in between(text, "has at least", after).into_iter().chain(between(
                text,
                "have at least",
                after,
            )) {
                let Some(times) = number(stated).filter(|_| !stated.contains("has up")) else {
                    continue;
                };
                if times < seen * 0.6 {
                    judged.missed.push(format!("at least {times:.2} times, {seen:.2} were seen"));
                } else {
                    judged.state(times <= truth * (1.0 + EFFECT), || {
                        format!("at least {times:.2} times, {truth:.2} in truth")
                    });
                }
            }
        }
        judged
    }
}
