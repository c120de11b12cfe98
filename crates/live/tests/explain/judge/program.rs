//! Drawn programs: where their threads and pages are, and which pages they really use.

use fastrand::Rng;
use nearfar_live::explain::ObservedProcess;
use nearfar_model::{Bytes, NodeId, NodeSet};
use nearfar_process::PageSample;

use super::machine::{CPUS, DrawnMachine};

/// Pages that a sample has.
const SAMPLED: usize = 400;

pub(crate) struct DrawnProgram {
    pub(crate) observed: ObservedProcess,
    /// The share of all accesses by the node of the thread and of the page.
    uses: Vec<(usize, usize, f64)>,
}

impl DrawnProgram {
    pub(crate) fn new(machine: &DrawnMachine, rng: &mut Rng) -> Self {
        let threads = some(machine.nodes_with(&machine.has_cpus), 3, rng);
        let homes = some(machine.nodes_with(&machine.has_memory), 4, rng);
        let shares = normalised(threads.iter().map(|_| 0.02 + rng.f64()).collect());
        let pages: Vec<f64> = homes.iter().map(|_| 10f64.powf(5.0 * rng.f64()).ceil()).collect();
        let sample = sampled(&homes, &pages, rng);
        let allowed = (rng.u8(..6) == 0).then(|| {
            let mut nodes: NodeSet = homes.iter().map(|node| NodeId(*node as u32)).collect();
            nodes.insert(NodeId(some(machine.nodes_with(&machine.has_memory), 1, rng)[0] as u32));
            nodes
        });
        // CPU time is no count of accesses.
        let of_threads = match rng.bool() {
            true => shares.clone(),
            false => normalised(shares.iter().map(|_| 0.001 + rng.f64()).collect()),
        };
        let mut uses = Vec::new();
        for (cpus, share) in threads.iter().zip(&of_threads) {
            let of_pages = weights(&pages, rng);
            uses.extend(
                homes.iter().zip(of_pages).map(|(home, of_page)| (*cpus, *home, share * of_page)),
            );
        }
        let observed = ObservedProcess {
            pid: 7,
            name: "db".to_owned(),
            memory: Bytes::gib(1),
            pages: sample,
            weights: threads.iter().map(|node| NodeId(*node as u32)).zip(shares).collect(),
            threads: threads.len(),
            busy_cpus: if rng.bool() { 1.0 } else { f64::from(CPUS) + 1.0 },
            allowed_nodes: allowed,
            ..ObservedProcess::default()
        };
        Self { observed, uses }
    }

    /// The program as it would be if it used only pages that were located. `None` if it uses none
    /// of them.
    pub(crate) fn using_located_pages(&self) -> Option<Self> {
        let is_located = |home: usize| {
            self.observed.pages.by_node.iter().any(|(node, _)| node.0 as usize == home)
        };
        let mut uses = self.uses.clone();
        uses.retain(|(_, home, _)| is_located(*home));
        let all: f64 = uses.iter().map(|use_| use_.2).sum();
        uses.iter_mut().for_each(|use_| use_.2 /= all);
        (all > 0.0).then(|| Self { observed: self.observed.clone(), uses })
    }

    /// The true mean of a figure of its accesses.
    pub(crate) fn mean(&self, of: impl Fn(usize, usize) -> f64) -> f64 {
        self.uses.iter().map(|&(cpus, home, share)| share * of(cpus, home)).sum()
    }

    /// The pairs of a thread's node and a located page's node.
    pub(crate) fn pairs(&self) -> Vec<(usize, usize)> {
        let threads = self.observed.weights.iter().map(|(node, _)| node.0 as usize);
        let located = self.observed.pages.by_node.iter().map(|(node, _)| node.0 as usize);
        threads.flat_map(|cpus| located.clone().map(move |home| (cpus, home))).collect()
    }

    /// The nodes that it may have memory on.
    pub(crate) fn usable(&self, machine: &DrawnMachine) -> Vec<usize> {
        let mut nodes = machine.nodes_with(&machine.has_memory);
        if let Some(allowed) = &self.observed.allowed_nodes {
            nodes.retain(|node| allowed.contains(NodeId(*node as u32)));
        }
        nodes
    }
}

fn some(mut nodes: Vec<usize>, most: usize, rng: &mut Rng) -> Vec<usize> {
    rng.shuffle(&mut nodes);
    nodes.truncate(rng.usize(1..=most));
    nodes.sort_unstable();
    nodes
}

fn normalised(weights: Vec<f64>) -> Vec<f64> {
    let all: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / all).collect()
}

/// How often a thread uses the pages of each node.
fn weights(pages: &[f64], rng: &mut Rng) -> Vec<f64> {
    let hot = rng.usize(..pages.len());
    let mut at = 0..;
    let mut of = |hot_weight: f64, other: f64| -> Vec<f64> {
        pages.iter().map(|_| if at.next() == Some(hot) { hot_weight } else { other }).collect()
    };
    normalised(match rng.u8(..4) {
        0 => pages.to_vec(),
        1 => of(1000.0, 1.0),
        2 => of(1.0, 0.0),
        _ => pages.iter().map(|_| rng.f64() + 1e-9).collect(),
    })
}

/// All pages of small programs, a sample of large ones.
fn sampled(homes: &[usize], pages: &[f64], rng: &mut Rng) -> PageSample {
    let all: f64 = pages.iter().sum();
    let is_whole = all < 512.0 || rng.u8(..3) == 0;
    let mut counts: Vec<u64> = pages.iter().map(|count| *count as u64).collect();
    if !is_whole {
        counts = vec![0; pages.len()];
        for _ in 0..SAMPLED {
            let mut drawn = rng.f64() * all;
            let at = pages.iter().position(|count| {
                drawn -= count;
                drawn < 0.0
            });
            counts[at.unwrap_or(0)] += 1;
        }
    }
    let by_node = homes.iter().map(|node| NodeId(*node as u32)).zip(counts);
    PageSample { by_node: by_node.filter(|(_, count)| *count > 0).collect(), is_whole }
}
