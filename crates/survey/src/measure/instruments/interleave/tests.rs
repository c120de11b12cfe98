//! Requested sizes, and searches on a simulated machine.

use std::convert::Infallible;

use fastrand::Rng;
use nearfar_machine::Source;
use nearfar_model::{CpuSet, NodeId, Unit};
use nearfar_probe::{
    Batch, BatchExecutor, DropReason, Dropped, LayoutRow, PlanScope, WorkerMessage,
};

use super::*;
use crate::measure::tests::{Simulated, survey, turn};
use crate::{BestSpread, Interleave as Document};

#[test]
fn the_fullest_node_limits_the_size() {
    let nodes = [(0, 4096), (3, 512)]
        .map(|(id, mib)| InterleaveNode { node: NodeId(id), free: Some(Bytes::mib(mib)) });
    let message = affordable(Some(Bytes::gib(1)), Bytes::gib(1), &nodes).unwrap_err().to_string();
    assert_eq!(message, "--size 1 GiB exceeds the 512 MiB available on node 3: use less");
    assert_eq!(affordable(Some(Bytes::mib(512)), Bytes::gib(1), &nodes).unwrap(), Bytes::mib(512));
    assert_eq!(affordable(None, Bytes::gib(1), &nodes).unwrap(), Bytes::mib(64));
    assert_eq!(affordable(None, Bytes::mib(32), &nodes).unwrap(), Bytes::mib(32));
    let unknown = [InterleaveNode { node: NodeId(0), free: None }];
    assert_eq!(
        affordable(Some(Bytes::gib(900)), Bytes::gib(1), &unknown).unwrap(),
        Bytes::gib(900)
    );
}

/// Nodes with these bandwidths in GB/s; a copy needs three lines of memory traffic per line
/// counted. Weights that use a node in `lacking` cannot be placed.
struct Nodes<'m> {
    give: &'m [f64],
    lacking: Option<usize>,
    setup: InterleaveSetup,
    seed: u64,
}

/// The bandwidth of weights: limited by the first saturated node.
fn moved(give: &[f64], weights: &[u32]) -> f64 {
    let sum = f64::from(weights.iter().sum::<u32>());
    let used = give.iter().zip(weights).filter(|(_, weight)| **weight > 0);
    used.map(|(rate, weight)| rate * sum / f64::from(*weight)).fold(f64::INFINITY, f64::min)
}

impl BatchExecutor for Nodes<'_> {
    type Error = Infallible;

    fn execute(
        &mut self,
        batch: &Batch,
        on_message: &mut dyn FnMut(Option<WorkerMessage>) -> bool,
    ) -> Result<(), Infallible> {
        let rng = &mut Rng::with_seed(self.seed ^ batch.seed);
        for &visit in &batch.visits {
            let InterleaveTreatment { weights, kernel } =
                &self.setup.treatments[visit.place.treatment];
            let lines = if *kernel == Some(Kernel::Copy) { 3.0 } else { 1.0 };
            let rate = 1e9 * moved(self.give, weights) / lines
                * (1.0 + 0.015 * nearfar_infer::normal(rng));
            let ns = Unit::BytesPerSecond.value_ns(rate);
            let answer = match self.lacking.is_some_and(|node| weights[node] > 0) {
                true => WorkerMessage::Unavailable {
                    scope: PlanScope::Cell(visit.place),
                    why: "node 2 is full".to_owned(),
                },
                false if rng.f64() < 0.1 => {
                    WorkerMessage::Dropped(Dropped::new(visit, DropReason::Descheduled))
                }
                false => WorkerMessage::Sample(visit.sample(CpuId(0), 0, ns)),
            };
            if !on_message(Some(answer)) {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Searches on such nodes: the document's part, and the names of the plans.
fn searched(
    give: &[f64],
    lacking: Option<usize>,
    kernel_weights: Option<&[u32]>,
    mode: Mode,
) -> (Document, Vec<String>) {
    let size = Some(Bytes::mib(64));
    let settings = InterleaveSettings { latency: false, size, ..InterleaveSettings::default() };
    let nodes: Vec<InterleaveNode> =
        (0..give.len() as u32).map(|id| InterleaveNode { node: NodeId(id), free: None }).collect();
    let topology =
        Topology::read(&Source::from_files([("/sys/devices/system/cpu/online", "0-3")])).unwrap();
    let cpus = CpuSet::parse_list("0-3").unwrap();
    let layout =
        Layout { rows: vec![LayoutRow::new("group".to_owned(), None, cpus)], ..Layout::default() };
    let rows = InterleaveRows::new(&layout, true);
    let scope = Scope { mode, ..Scope::default() };
    let weights = kernel_weights.map(<[u32]>::to_vec);
    let mut experiment =
        InterleaveExperiment::new(settings, &scope, &topology, (rows, nodes), weights, 1).unwrap();
    let mut backend = Simulated::new(Duration::ZERO, |work: Work| {
        let Work::Interleave(setup) = work else { panic!("{work:?}") };
        Nodes { give, lacking, setup, seed: 7 }
    });
    experiment.begin(&mut turn(&mut backend, &mut None), Effort::Full).unwrap();
    (survey(&experiment, 1).interleave.unwrap(), backend.plans)
}

/// The weights of a result, as numbers.
fn weights(best: &BestSpread, nodes: usize) -> Vec<u32> {
    let mut weights = vec![0; nodes];
    for part in best.weights.split(',') {
        let (node, weight) = part.split_once('=').unwrap();
        weights[node.parse::<usize>().unwrap()] = weight.parse().unwrap();
    }
    weights
}

/// The largest bandwidth of weights up to 16.
fn most(give: &[f64]) -> f64 {
    let mut weights = vec![0; give.len()];
    let mut most = 0.0;
    while let Some(node) = weights.iter().position(|&weight| weight < 16) {
        weights[node] += 1;
        weights[..node].fill(0);
        most = f64::max(most, moved(give, &weights));
    }
    most
}

#[test]
fn best_weights_are_found_and_compared_with_the_kernels() {
    // Two sockets and a slow node; two equal nodes; one fast and one very slow.
    let machines: [(&[f64], &[u32]); 3] = [
        (&[113.3, 113.3, 17.6], &[3, 3, 1]),
        (&[100.0, 100.0], &[1, 1]),
        (&[210.0, 14.0], &[4, 1]),
    ];
    for (give, kernel_weights) in machines {
        for mode in [Mode::Quick, Mode::Default] {
            let (spread, plans) = searched(give, None, Some(kernel_weights), mode);
            assert_eq!(
                (plans[0].as_str(), plans.last().unwrap().as_str()),
                ("weights", "best weights")
            );
            let kernels: Vec<&str> = spread.best.iter().map(|best| best.kernel.as_str()).collect();
            // A gain of 7 % is no more than noise after some searches.
            let is_clear = most(give) > 1.2 * give.iter().copied().fold(0.0, f64::max);
            assert!(!is_clear || kernels == ["read", "copy"], "{give:?} {mode:?}: {kernels:?}");
            assert_eq!(spread.best.len() + spread.undetermined.len(), 2);
            for (best, lines) in spread.best.iter().zip([1.0, 3.0]) {
                let lost = 1.0 - moved(give, &weights(best, give.len())) / most(give);
                assert!(lost < 0.03, "{give:?} {mode:?}: {best:?} loses {lost}");
                let near = |figure: f64, weights: &[u32]| {
                    (figure * lines / 1e9 / moved(give, weights) - 1.0).abs() < 0.03
                };
                assert!(near(best.bytes_per_s, &weights(best, give.len())), "{best:?}");
                assert!(near(best.kernel_weights_bytes_per_s.unwrap(), kernel_weights), "{best:?}");
                assert!(near(best.equal_bytes_per_s.unwrap(), &vec![1; give.len()]), "{best:?}");
            }
        }
    }
}

/// At 0206d5e9 an interleaving was named whatever the nodes gave alone.
#[test]
fn one_node_is_the_answer_where_it_wins() {
    // From 15:1 on, the slow node's sixteenth of the pages costs more than it gives.
    let (spread, _) = searched(&[200.0, 2.0], None, None, Mode::Default);
    for best in &spread.best {
        assert_eq!((best.weights.as_str(), best.gain_ci95), ("0=1", None), "{best:?}");
        assert_eq!(best.run_by, "nearfar run --membind 0 -- PROGRAM");
    }
    assert_eq!((spread.best.len(), spread.undetermined.len()), (2, 0));
}

#[test]
fn a_node_without_memory_is_skipped_and_reported() {
    let (spread, _) = searched(&[100.0, 50.0, 80.0], Some(2), None, Mode::Default);
    assert_eq!(spread.best.len(), 2);
    for best in &spread.best {
        let found = weights(best, 3);
        assert!(found[2] == 0 && moved(&[100.0, 50.0], &found[..2]) > 145.0, "{best:?}");
        assert_eq!(best.equal_bytes_per_s, None);
    }
    let cells = spread.bandwidth.unwrap().matrix.cells;
    let refused = cells
        .iter()
        .filter(|cell| cell.treatment.weights.contains("2="))
        .all(|cell| cell.why.as_deref() == Some("node 2 is full"));
    assert!(refused && cells.iter().any(|cell| cell.treatment.weights.contains("2=")));
}
