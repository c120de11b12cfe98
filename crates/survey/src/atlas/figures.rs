//! What of a survey lies beside published figures.

use std::cmp::Ordering::Equal;
use std::collections::BTreeMap;

use nearfar_model::{Instrument, NodeId};

use crate::{CpuNumbers, Figure, MiddleFigure, Survey};

/// The kernel whose bandwidth others publish.
const KERNEL: &str = "read";
/// Probes that chase in pages, as [`crate::atlas::Method::RandomHugePages`] does.
const CHASES: [&str; 2] = ["page", "chase"];
/// What carries pages of 2 MiB.
const HUGE: [&str; 2] = ["thp", "hugetlb"];

/// A figure from the CPUs of a node to the memory of one.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct NodeFigure {
    /// The CPUs' node.
    pub cpus: u32,
    /// The memory's node.
    pub memory: u32,
    /// In ns or GB/s.
    pub median: f64,
    /// Its 95 % interval, or the median twice where there is none.
    pub ci95: [f64; 2],
}

/// A machine as the atlas compares it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MachineFigures {
    /// The CPU as the kernel names it.
    pub model: String,
    /// CPUID's numbers of it, where they are known.
    pub cpuid: Option<CpuNumbers>,
    /// Packages.
    pub packages: usize,
    /// Nodes with CPUs.
    pub nodes: usize,
    /// The hypervisor, in a guest.
    pub hypervisor: Option<String>,
    /// Whether latency was measured by a random chase on huge pages.
    pub is_huge_chase: bool,
    /// Latency by nodes, in ns.
    pub latency: Vec<NodeFigure>,
    /// Read bandwidth by nodes, in GB/s.
    pub reads: Vec<NodeFigure>,
    /// What the memory channels of one node could deliver, in GB/s.
    pub node_peak_gb_s: Option<f64>,
}

impl MachineFigures {
    /// Those of a survey.
    pub fn for_survey(survey: &Survey) -> Self {
        let (machine, latency) = (&survey.machine, &survey.latency);
        let with_cpus = survey.claims.nodes.iter().filter(|node| !node.cpus.is_empty()).count();
        let mut backings = latency.columns.iter().filter_map(|column| column.backing.as_deref());
        let peak = survey.bandwidth.as_ref().and_then(|bandwidth| bandwidth.peak.as_ref());
        let latencies = |figure: &Figure<'_>| figure.instrument == Instrument::Latency;
        let reads = |figure: &Figure<'_>| {
            figure.instrument == Instrument::Bandwidth && figure.is_with("kernel", KERNEL)
        };
        Self {
            model: machine.model.clone(),
            cpuid: machine.cpuid.clone(),
            packages: machine.packages,
            nodes: with_cpus.max(1),
            hypervisor: machine.hypervisor.clone(),
            is_huge_chase: CHASES.contains(&latency.probe.as_str())
                && backings.all(|backing| HUGE.contains(&backing)),
            latency: by_nodes(survey, latencies, MiddleFigure::new),
            // The most that any number of threads reads.
            reads: by_nodes(survey, reads, highest),
            node_peak_gb_s: peak.map(|peak| peak.node_bytes_per_s / 1e9),
        }
    }

    /// Nodes of each package; none where a package has no node of its own, or unequally many.
    pub fn nodes_per_package(&self) -> Option<usize> {
        let is_even = self.packages > 0 && self.nodes % self.packages == 0;
        (is_even && self.nodes >= self.packages).then(|| self.nodes / self.packages)
    }
}

/// Whether a node has CPUs. Memory without CPUs (CXL, HBM) lies beside no published figure.
fn has_cpus(survey: &Survey, node: u32) -> bool {
    let known = survey.claims.nodes.iter().find(|claimed| claimed.id.0 == node);
    known.is_none_or(|claimed| !claimed.cpus.is_empty())
}

/// One figure for each pair of nodes, of all figures that are of it.
fn by_nodes<'s>(
    survey: &'s Survey,
    is_of: impl Fn(&Figure<'_>) -> bool,
    choose: impl Fn(Vec<Figure<'s>>) -> Option<MiddleFigure>,
) -> Vec<NodeFigure> {
    let is_one_node = survey.claims.nodes.len() <= 1;
    let mut pairs: BTreeMap<[NodeId; 2], Vec<Figure<'s>>> = BTreeMap::new();
    for figure in survey.figures().filter(is_of) {
        let nodes = figure.nodes().or(is_one_node.then_some([NodeId(0); 2]));
        if let Some(pair) = nodes.filter(|[_, memory]| has_cpus(survey, memory.0)) {
            pairs.entry(pair).or_default().push(figure);
        }
    }
    let figure = |([cpus, memory], figures): ([NodeId; 2], Vec<Figure<'s>>)| {
        let unit = figures.first()?.unit;
        let MiddleFigure { median, ci95 } = choose(figures)?;
        let ci95 = ci95.unwrap_or([median; 2]).map(|end| unit.shown(end));
        Some(NodeFigure { cpus: cpus.0, memory: memory.0, median: unit.shown(median), ci95 })
    };
    pairs.into_iter().filter_map(figure).collect()
}

fn highest(figures: Vec<Figure<'_>>) -> Option<MiddleFigure> {
    let figures = figures.into_iter().filter(|figure| figure.median.is_some());
    MiddleFigure::new(figures.max_by(|a, b| a.median.partial_cmp(&b.median).unwrap_or(Equal)))
}

#[cfg(test)]
mod tests {
    use nearfar_model::CpuSet;

    use super::*;

    fn two_nodes() -> Survey {
        let text = include_str!("../../../../docs/gallery/documents/lab-xeon-2s-before.json");
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn each_pair_of_nodes_has_one_figure() {
        let figures = MachineFigures::for_survey(&two_nodes());
        let pairs: Vec<(u32, u32)> =
            figures.latency.iter().map(|cell| (cell.cpus, cell.memory)).collect();
        assert_eq!(pairs, [(0, 0), (0, 1), (1, 0), (1, 1)]);
        assert_eq!((figures.nodes_per_package(), figures.is_huge_chase), (Some(1), true));
    }

    #[test]
    fn memory_without_cpus_is_left_out() {
        let mut survey = two_nodes();
        survey.claims.nodes[1].cpus = CpuSet::default();
        let figures = MachineFigures::for_survey(&survey);
        assert!(figures.latency.iter().all(|cell| cell.memory == 0), "{figures:?}");
    }
}
