//! Interleaved memory: the bandwidth of all CPUs and the cost of an access, by the weights that
//! it is spread by.

use std::collections::{BTreeMap, BTreeSet};

use nearfar_infer::InferError;
use nearfar_infer::weight_choice::{WeightChoice, WeightsUndetermined, choose};
use nearfar_infer::weight_search::{BestWeights, WeightLimits, WeightSearch, reduced};
use nearfar_model::{CellIndex, Instrument, NodeId, NodeSet, Unit};
use nearfar_probe::interleave::{self, InterleaveSetup};
use nearfar_probe::{Kernel, Layout, PlanOutcome};
use serde::{Deserialize, Serialize};

use super::instrument_part::InstrumentPart;
use super::streamed;
use crate::figure::processes_by_place;
use crate::{InstrumentTable, MatrixCell, Treatment, TreatmentMatrix};

/// The figures of one instrument, and which weights are best.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Interleave {
    /// The nodes that memory was spread over.
    #[schemars(with = "Vec<u32>")]
    pub nodes: Vec<NodeId>,
    /// The kernel's own weights of them; null where it has none (before Linux 6.9).
    pub kernel_weights: Option<String>,
    /// Bytes a second as the program sees them, all of a row's CPUs together; in base pages. Null
    /// where it was not measured.
    #[serde(default, deserialize_with = "streamed::part")]
    pub bandwidth: Option<TreatmentMatrix<SpreadStream>>,
    /// What a load costs that waits for the one before. Null where it was not measured.
    #[serde(default, deserialize_with = "streamed::part")]
    pub latency: Option<TreatmentMatrix<SpreadLoad>>,
    /// The instructions of the streams: "avx512", "avx2", "sse2", "neon" or "portable". Null where
    /// they were not measured.
    pub isa: Option<String>,
    /// What all threads of a window swept together, at least. Null where it was not measured.
    pub footprint_bytes: Option<u64>,
    /// What the loads went through. Null where they were not measured.
    pub chase_bytes: Option<u64>,
    /// Which weights move most, by row and kernel, where they are compared with the alternatives.
    pub best: Vec<BestSpread>,
    /// Rows and kernels without best weights, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undetermined: Vec<UndeterminedSpread>,
    /// Why there are no figures.
    pub why: Option<String>,
}

/// What memory is spread by, and what is done to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SpreadStream {
    /// Pages in a row on each node, as `nearfar run --weights` takes them: "0=4,1=1". Nodes
    /// without a weight have no page.
    pub weights: String,
    /// "read", "copy" or another of bandwidth's kernels.
    pub kernel: String,
}

/// What memory is spread by.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SpreadLoad {
    /// Pages in a row on each node, as `nearfar run --weights` takes them.
    pub weights: String,
    /// "latency".
    pub kernel: String,
}

/// A row and kernel without best weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct UndeterminedSpread {
    /// Index of the row of `bandwidth`.
    pub row: usize,
    /// The kernel.
    pub kernel: String,
    /// The weights with the best figure; they may not be the best.
    pub leading: String,
    /// Why that does not decide.
    #[serde(flatten)]
    pub why: WeightsUndetermined,
}

/// The best weights of a row and kernel: faster than each node alone beyond noise, or one node that
/// no measured weights exceed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct BestSpread {
    /// Index of the row of `bandwidth`.
    pub row: usize,
    /// The kernel.
    pub kernel: String,
    /// The weights that moved most.
    pub weights: String,
    /// What they moved, in bytes a second.
    pub bytes_per_s: f64,
    /// Others within two standard errors of it, the best first.
    pub as_good: Vec<String>,
    /// What all nodes in turn moved.
    pub equal_bytes_per_s: Option<f64>,
    /// What the kernel's own weights moved.
    pub kernel_weights_bytes_per_s: Option<f64>,
    /// What the best single node moved.
    pub one_node_bytes_per_s: Option<f64>,
    /// Interval of the gain over that node, minus 1, that holds for the best of all measured
    /// weights (95 %). Null where the best is one node.
    #[serde(default)]
    pub gain_ci95: Option<[f64; 2]>,
    /// The command that sets these weights, as root; null where none is needed.
    pub set_by: Option<String>,
    /// The command that runs a program so.
    pub run_by: String,
}

/// What was measured of interleaved memory.
pub struct InterleaveRun<'a> {
    /// The nodes.
    pub nodes: Vec<NodeId>,
    /// The kernel's own weights, in their order.
    pub kernel_weights: Option<Vec<u32>>,
    /// Streams, where they were measured.
    pub bandwidth: Option<SpreadRun<'a>>,
    /// Chases, where they were measured.
    pub latency: Option<SpreadRun<'a>>,
    /// Why nothing was measured.
    pub why: Option<String>,
}

/// What was measured of streams, or of chases.
pub struct SpreadRun<'a> {
    /// The rows, and one column.
    pub layout: &'a Layout,
    /// What was measured.
    pub outcome: &'a PlanOutcome,
    /// What was visited.
    pub visited: &'a [CellIndex],
    /// The workers' setup.
    pub setup: &'a InterleaveSetup,
}

impl Treatment for SpreadStream {
    const INSTRUMENT: Instrument = Instrument::Interleave;
    const UNIT: Unit = Unit::BytesPerSecond;
}

impl Treatment for SpreadLoad {
    const INSTRUMENT: Instrument = Instrument::Interleave;
}

impl InstrumentPart for Interleave {
    fn judge(&mut self, _: usize, seed: u64) -> Result<(), InferError> {
        self.latency.as_mut().map_or(Ok(()), |part| part.judge(seed))?;
        let Some(part) = &mut self.bandwidth else { return Ok(()) };
        part.judge(seed)?;
        let mut kernels: Vec<String> =
            part.treatments.iter().map(|treatment| treatment.kernel.clone()).collect();
        kernels.sort_unstable_by_key(|name| {
            Kernel::ALL.iter().position(|kernel| kernel.name() == name)
        });
        kernels.dedup();
        // Without samples, the number of processes is unknown, and the answers stay.
        let Some(processes) = part.samples.as_ref().map(processes_by_place) else { return Ok(()) };
        let rows = part.matrix.rows.len();
        let (mut best, mut undetermined) = (Vec::new(), Vec::new());
        for (row, kernel) in
            (0..rows).flat_map(|row| kernels.iter().map(move |kernel| (row, kernel)))
        {
            match self.best_of(row, kernel, &processes) {
                Some(Ok(found)) => best.push(found),
                Some(Err(why)) => undetermined.push(why),
                None => {}
            }
        }
        (self.best, self.undetermined) = (best, undetermined);
        Ok(())
    }

    fn strip_samples(&mut self) {
        self.bandwidth.iter_mut().for_each(|part| part.samples = None);
        self.latency.iter_mut().for_each(|part| part.samples = None);
    }

    fn tables(&self) -> Vec<InstrumentTable<'_>> {
        let streams = self.bandwidth.iter().map(|part| part.table(|cell| self.is_best(cell)));
        streams.chain(self.latency.iter().map(|part| part.table(|_| true))).collect()
    }
}

impl Interleave {
    /// The part before its figures.
    pub fn new(run: &InterleaveRun<'_>) -> Self {
        let named = |weights: &Vec<u32>| format_weights(&run.nodes, weights);
        let stream = |treatment: &interleave::InterleaveTreatment| SpreadStream {
            weights: named(&treatment.weights),
            kernel: treatment.kernel.map_or("latency", Kernel::name).to_owned(),
        };
        let load = |treatment: &interleave::InterleaveTreatment| SpreadLoad {
            weights: named(&treatment.weights),
            kernel: "latency".to_owned(),
        };
        Self {
            nodes: run.nodes.clone(),
            kernel_weights: run.kernel_weights.as_ref().map(named),
            bandwidth: run.bandwidth.as_ref().map(|streams| streams.part(stream)),
            latency: run.latency.as_ref().map(|loads| loads.part(load)),
            isa: run.bandwidth.as_ref().map(|streams| streams.setup.isa.name().to_owned()),
            footprint_bytes: run.bandwidth.as_ref().map(|streams| streams.setup.footprint.0),
            chase_bytes: run.latency.as_ref().map(|loads| loads.setup.footprint.0),
            best: Vec::new(),
            undetermined: Vec::new(),
            why: run.why.clone(),
        }
    }

    /// Whether these are the best or leading weights of their row and kernel: of a search only what
    /// was measured side by side at its end has to be precise.
    fn is_best(&self, cell: &MatrixCell<SpreadStream>) -> bool {
        let best = self.best.iter().map(|one| (one.row, &one.kernel, &one.weights));
        let leading = self.undetermined.iter().map(|one| (one.row, &one.kernel, &one.leading));
        let own = (cell.row, &cell.treatment.kernel, &cell.treatment.weights);
        best.chain(leading).any(|one| one == own)
    }

    /// The answer for a row and kernel; none without a figure.
    fn best_of(
        &self,
        row: usize,
        kernel: &str,
        processes: &BTreeMap<CellIndex, usize>,
    ) -> Option<Result<BestSpread, UndeterminedSpread>> {
        let part = self.bandwidth.as_ref()?;
        let cells = part
            .matrix
            .cells
            .iter()
            .filter(|cell| cell.row == row && cell.treatment.kernel == kernel);
        let mut search = WeightSearch::new(&vec![0.0; self.nodes.len()], WeightLimits::default());
        let mut processes_of = BTreeMap::new();
        for cell in cells {
            let (Some(median), Some(weights)) =
                (cell.median, read(&self.nodes, &cell.treatment.weights))
            else {
                continue;
            };
            let treatment =
                part.treatments.iter().position(|treatment| *treatment == cell.treatment)?;
            let place = CellIndex::new(cell.row, cell.column).with_treatment(treatment);
            let count = processes.get(&place).copied().unwrap_or_default();
            search.record(&weights, median, cell.se.unwrap_or_default());
            processes_of.insert(reduced(&weights), count);
        }
        let found = search.finish()?;
        let of = |weights: &[u32]| processes_of.get(weights).copied().unwrap_or_default();
        Some(match choose(&found, of) {
            WeightChoice::Interleaved(best, gain) => {
                Ok(self.best_spread(row, kernel, &found, &best.weights, Some(gain)))
            }
            WeightChoice::OneNode(one) => {
                Ok(self.best_spread(row, kernel, &found, &one.weights, None))
            }
            WeightChoice::Undetermined(why) => Err(UndeterminedSpread {
                row,
                kernel: kernel.to_owned(),
                leading: format_weights(&self.nodes, &found.best.weights),
                why: self.by_node(why),
            }),
        })
    }

    fn best_spread(
        &self,
        row: usize,
        kernel: &str,
        found: &BestWeights,
        best: &[u32],
        gain_ci95: Option<[f64; 2]>,
    ) -> BestSpread {
        let moved = |weights: &[u32]| {
            found.tried.iter().find(|tried| tried.weights == weights).map(|tried| tried.bytes_per_s)
        };
        let alone = found.tried.iter().filter(|tried| tried.weights.iter().sum::<u32>() == 1);
        let kernels = self.kernel_weights.as_ref().and_then(|weights| read(&self.nodes, weights));
        let as_good = found.as_good.iter().filter(|other| other.weights != best);
        let set_by = format!("nearfar run --weights {}", format_weights(&self.nodes, best));
        BestSpread {
            row,
            kernel: kernel.to_owned(),
            weights: format_weights(&self.nodes, best),
            bytes_per_s: moved(best).unwrap_or_default(),
            as_good: as_good.map(|other| format_weights(&self.nodes, &other.weights)).collect(),
            equal_bytes_per_s: moved(&vec![1; self.nodes.len()]),
            kernel_weights_bytes_per_s: kernels.and_then(|weights| moved(&reduced(&weights))),
            one_node_bytes_per_s: alone.map(|tried| tried.bytes_per_s).reduce(f64::max),
            gain_ci95,
            set_by: (!is_even(best)).then_some(set_by),
            run_by: run_by(&self.nodes, best),
        }
    }

    /// Indexes as the numbers of nodes.
    fn by_node(&self, why: WeightsUndetermined) -> WeightsUndetermined {
        let number = |at: usize| self.nodes.get(at).map_or(at, |node| node.0 as usize);
        match why {
            WeightsUndetermined::NoFigureAlone { nodes } => WeightsUndetermined::NoFigureAlone {
                nodes: nodes.into_iter().map(number).collect(),
            },
            WeightsUndetermined::WithinNoise { gain_ci95, node } => {
                WeightsUndetermined::WithinNoise { gain_ci95, node: number(node) }
            }
            why @ WeightsUndetermined::NoFigureInterleaved => why,
        }
    }
}

impl SpreadRun<'_> {
    fn part<T: Treatment>(
        &self,
        treatment: impl Fn(&interleave::InterleaveTreatment) -> T,
    ) -> TreatmentMatrix<T> {
        let treatments = self.setup.treatments.iter().map(treatment).collect();
        TreatmentMatrix::new(self.layout, self.outcome, treatments, self.visited)
    }
}

/// "0=4,1=1": nodes with a weight.
fn format_weights(nodes: &[NodeId], weights: &[u32]) -> String {
    let used = nodes.iter().zip(weights).filter(|(_, weight)| **weight > 0);
    used.map(|(node, weight)| format!("{node}={weight}")).collect::<Vec<_>>().join(",")
}

/// The weights of these nodes as [`format_weights`] wrote them; none where it did not.
fn read(nodes: &[NodeId], text: &str) -> Option<Vec<u32>> {
    let mut weights = vec![0; nodes.len()];
    for part in text.split(',') {
        let (node, weight) = part.split_once('=')?;
        let node: u32 = node.parse().ok()?;
        let place = nodes.iter().position(|known| known.0 == node)?;
        weights[place] = weight.parse().ok()?;
    }
    Some(weights)
}

/// Whether all nodes that have a weight have the same.
fn is_even(weights: &[u32]) -> bool {
    weights.iter().filter(|weight| **weight > 0).collect::<BTreeSet<_>>().len() < 2
}

fn run_by(nodes: &[NodeId], weights: &[u32]) -> String {
    let used: NodeSet = nodes
        .iter()
        .zip(weights)
        .filter(|(_, weight)| **weight > 0)
        .map(|(node, _)| *node)
        .collect();
    let option = match (used.len(), is_even(weights)) {
        (1, _) => "--membind",
        (_, true) => "--interleave",
        (_, false) => "-w",
    };
    format!("nearfar run {option} {used} -- PROGRAM")
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODES: [NodeId; 3] = [NodeId(0), NodeId(2), NodeId(5)];

    #[test]
    fn weights_are_read_as_written() {
        assert_eq!(format_weights(&NODES, &[9, 0, 2]), "0=9,5=2");
        assert_eq!(read(&NODES, "0=9,5=2"), Some(vec![9, 0, 2]));
        assert_eq!(read(&NODES, "1=9"), None);
        assert_eq!(read(&NODES, ""), None);
    }

    #[test]
    fn the_command_is_the_simplest_that_gives_the_weights() {
        assert_eq!(run_by(&NODES, &[9, 2, 0]), "nearfar run -w 0,2 -- PROGRAM");
        assert_eq!(run_by(&NODES, &[1, 1, 1]), "nearfar run --interleave 0,2,5 -- PROGRAM");
        assert_eq!(run_by(&NODES, &[0, 1, 0]), "nearfar run --membind 2 -- PROGRAM");
    }
}
