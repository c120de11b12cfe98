//! What of a survey lies beside published figures.

use crate::{BandwidthTreatment, CpuNumbers, MatrixCell, MatrixRow, Survey};

/// The kernel whose bandwidth others publish.
const KERNEL: &str = "read";
/// Probes that chase in pages, as [`crate::atlas::Method::RandomHugePages`] does.
const CHASES: [&str; 2] = ["page", "chase"];
/// What carries pages of 2 MiB.
const HUGE: [&str; 2] = ["thp", "hugetlb"];

/// A figure from the CPUs of a node to the memory of one.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    pub fn of_survey(survey: &Survey) -> Self {
        let (machine, latency) = (&survey.machine, &survey.latency);
        let with_cpus = survey.claims.nodes.iter().filter(|node| !node.cpus.is_empty()).count();
        let is_one_node = survey.claims.nodes.len() <= 1;
        let backings: Vec<&str> =
            latency.columns.iter().filter_map(|column| column.backing.as_deref()).collect();
        let bandwidth = survey.bandwidth.as_ref();
        let reads = bandwidth.map(|bandwidth| {
            let matrix = &bandwidth.part.matrix;
            let is_read = |treatment: &BandwidthTreatment| treatment.kernel == KERNEL;
            let cells = matrix.cells.iter().filter(|cell| is_read(&cell.treatment));
            // The most that any number of threads reads.
            by_nodes(&matrix.rows, cells, is_one_node, highest)
        });
        let peak = bandwidth.and_then(|bandwidth| bandwidth.peak.as_ref());
        Self {
            model: machine.model.clone(),
            cpuid: machine.cpuid.clone(),
            packages: machine.packages,
            nodes: with_cpus.max(1),
            hypervisor: machine.hypervisor.clone(),
            is_huge_chase: CHASES.contains(&latency.probe.as_str())
                && backings.iter().all(|backing| HUGE.contains(backing)),
            latency: by_nodes(&latency.rows, latency.cells.iter(), is_one_node, middle)
                .into_iter()
                .filter(|cell| has_cpus(survey, cell.memory))
                .collect(),
            reads: reads
                .unwrap_or_default()
                .into_iter()
                .filter(|cell| has_cpus(survey, cell.memory))
                .map(in_gigabytes)
                .collect(),
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

fn in_gigabytes(figure: NodeFigure) -> NodeFigure {
    let [low, high] = figure.ci95;
    NodeFigure { median: figure.median / 1e9, ci95: [low / 1e9, high / 1e9], ..figure }
}

/// One figure for each pair of nodes, of all cells that are of it.
fn by_nodes<'a, T: 'a>(
    rows: &[MatrixRow],
    cells: impl Iterator<Item = &'a MatrixCell<T>>,
    is_one_node: bool,
    choose: fn(Vec<NodeFigure>) -> Option<NodeFigure>,
) -> Vec<NodeFigure> {
    let mut pairs: std::collections::BTreeMap<(u32, u32), Vec<NodeFigure>> = Default::default();
    for cell in cells {
        let known = rows.get(cell.row).and_then(|row| row.node).zip(cell.node);
        let pair = match known {
            Some((cpus, memory)) => (cpus.0, memory.0),
            None if is_one_node => (0, 0),
            None => continue,
        };
        let Some(median) = cell.median else { continue };
        let ci95 = cell.ci95.unwrap_or([median; 2]);
        let figure = NodeFigure { cpus: pair.0, memory: pair.1, median, ci95 };
        pairs.entry(pair).or_default().push(figure);
    }
    pairs.into_values().filter_map(choose).collect()
}

fn middle(mut figures: Vec<NodeFigure>) -> Option<NodeFigure> {
    figures.sort_by(|a, b| a.median.total_cmp(&b.median));
    let at = figures.len().checked_sub(1)? / 2;
    figures.get(at).copied()
}

fn highest(figures: Vec<NodeFigure>) -> Option<NodeFigure> {
    figures.into_iter().max_by(|a, b| a.median.total_cmp(&b.median))
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
        let figures = MachineFigures::of_survey(&two_nodes());
        let pairs: Vec<(u32, u32)> =
            figures.latency.iter().map(|cell| (cell.cpus, cell.memory)).collect();
        assert_eq!(pairs, [(0, 0), (0, 1), (1, 0), (1, 1)]);
        assert_eq!((figures.nodes_per_package(), figures.is_huge_chase), (Some(1), true));
    }

    #[test]
    fn memory_without_cpus_is_left_out() {
        let mut survey = two_nodes();
        survey.claims.nodes[1].cpus = CpuSet::default();
        let figures = MachineFigures::of_survey(&survey);
        assert!(figures.latency.iter().all(|cell| cell.memory == 0), "{figures:?}");
    }
}
