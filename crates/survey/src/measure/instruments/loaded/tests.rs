//! Loaded latency on a simulated machine of two sockets: nodes and a link with queues.

use std::convert::Infallible;

use fastrand::Rng;
use nearfar_infer::load_curve::LinkSharing;
use nearfar_machine::Source;
use nearfar_model::{CellIndex, Sample};
use nearfar_probe::{Batch, BatchExecutor, WorkerMessage};

use super::*;
use crate::measure::tests::{Simulated, layout_of, survey, turn};

const NODES: usize = 2;
/// Latency of an idle machine: local node, remote node.
const IDLE_NS: [f64; 2] = [80.0, 140.0];
/// The service time of a request, and the throughput limits of a node's memory and of the link in
/// one direction.
const SERVICE_NS: f64 = 20.0;
const NODE_BYTES_PER_S: f64 = 110e9;
const LINK_BYTES_PER_S: f64 = 50e9;

/// A server with a queue.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Server {
    Node(usize),
    /// From a node's memory to CPUs of another.
    Link(usize, usize),
}

/// The servers between a row's CPUs and memory.
fn servers(row: usize, memory: usize) -> Vec<Server> {
    let link = (row != memory).then_some(Server::Link(memory, row));
    [Server::Node(memory)].into_iter().chain(link).collect()
}

fn most(server: Server) -> f64 {
    match server {
        Server::Node(_) => NODE_BYTES_PER_S,
        Server::Link(..) => LINK_BYTES_PER_S,
    }
}

/// The traffic of aggressors: almost the limit of the slowest server, less with longer delays.
fn traffic(row: usize, memory: usize, delay: u32) -> f64 {
    let narrowest = servers(row, memory).into_iter().map(most).fold(f64::INFINITY, f64::min);
    narrowest * 0.97 * 400.0 / (400.0 + f64::from(delay))
}

/// The true latency: the idle latency, and the wait at servers with constant service times (M/D/1).
fn latency(victim: usize, column: usize, load: Option<Load>) -> f64 {
    let Some(load) = load else { return IDLE_NS[usize::from(victim != column)] };
    let memory = load.memory.unwrap_or(column);
    let moved = traffic(load.row, memory, load.delay);
    let busy = servers(load.row, memory);
    let wait = |server: &Server| {
        let used = if busy.contains(server) { moved / most(*server) } else { 0.0 };
        SERVICE_NS * used / (2.0 * (1.0 - used))
    };
    IDLE_NS[usize::from(victim != column)] + servers(victim, column).iter().map(wait).sum::<f64>()
}

/// That machine as an executor.
struct Sockets {
    setup: LoadedSetup,
    seed: u64,
}

impl BatchExecutor for Sockets {
    type Error = Infallible;

    fn execute(
        &mut self,
        batch: &Batch,
        on_message: &mut dyn FnMut(Option<WorkerMessage>) -> bool,
    ) -> Result<(), Infallible> {
        let rng = &mut Rng::with_seed(self.seed ^ batch.seed);
        let scatter = |rng: &mut Rng| 1.0 + 0.015 * nearfar_infer::normal(rng);
        for &visit in &batch.visits {
            let CellIndex { row, column: memory, treatment } = visit.place;
            let load = self.setup.loads[treatment];
            let moved = load
                .map_or(0.0, |load| traffic(load.row, load.memory.unwrap_or(memory), load.delay));
            let ns = latency(row, memory, load) * scatter(rng);
            let traffic = Some(moved * scatter(rng));
            let sample = Sample { traffic, ..visit.sample(self.setup.rows[row][0], 0, ns) };
            if !on_message(Some(WorkerMessage::Sample(sample))) {
                return Ok(());
            }
        }
        Ok(())
    }
}

fn layout() -> Layout {
    layout_of("node", NODES, |node| {
        [2 * node, 2 * node + 1].map(|cpu| CpuId(cpu as u32)).into_iter().collect()
    })
}

/// Measures the machine, each plan taking this long: the results, and the names of the plans.
fn explored(pairs: bool, seed: u64, takes: Duration) -> (crate::Loaded, Vec<String>) {
    let topology =
        Topology::read(&Source::from_files([("/sys/devices/system/cpu/online", "0-3")])).unwrap();
    let size = Some(Bytes::mib(64));
    let settings = LoadedSettings { pairs, isa: Isa::Portable, size, ..LoadedSettings::default() };
    let mut experiment =
        LoadedExperiment::new(&settings, &Scope::default(), layout(), &topology, seed).unwrap();
    let mut backend = Simulated::new(takes, move |work: Work| {
        let Work::Loaded(setup) = work else { panic!("{work:?}") };
        Sockets { setup, seed }
    });
    experiment.begin(&mut turn(&mut backend, &mut None), Effort::Full).unwrap();
    (survey(&experiment, seed).loaded.unwrap(), backend.plans)
}

fn near(value: f64, truth: f64, share: f64) -> bool {
    (value / truth - 1.0).abs() < share
}

/// The load at which latency exceeds idle by 20 %, by bisection.
fn true_knee(victim: usize, column: usize) -> f64 {
    let is_beyond = |delay: f64| {
        latency(victim, column, Some(Load { row: victim, memory: None, delay: delay as u32 }))
    };
    let (mut slow, mut fast) = (1e6, 0.0);
    while slow - fast > 1.0 {
        let middle = f64::midpoint(slow, fast);
        if is_beyond(middle) > 1.2 * latency(victim, column, None) {
            fast = middle;
        } else {
            slow = middle;
        }
    }
    traffic(victim, column, slow as u32)
}

#[test]
fn delays_are_added_at_bends() {
    let (loaded, plans) = explored(false, 1, Duration::ZERO);
    assert_eq!(plans[0], "loads");
    assert!(plans.len() >= 4 && plans[1..].iter().all(|plan| plan == "bends"), "{plans:?}");
    assert_eq!(loaded.curves.len(), NODES * NODES);
    for curve in &loaded.curves {
        let (row, column) = (curve.row, curve.column);
        assert!(near(curve.curve.idle_ns.value, latency(row, column, None), 0.03), "{curve:?}");
        let most = Some(Load { row, memory: None, delay: 0 });
        assert!(
            near(curve.curve.saturated_ns.value, latency(row, column, most), 0.03),
            "{curve:?}"
        );
        let knee = curve.curve.knee_bytes_per_s.unwrap();
        assert!(
            near(knee.value, true_knee(row, column), 0.10),
            "{knee:?}, not {}",
            true_knee(row, column)
        );
        for figure in [curve.curve.idle_ns, curve.curve.saturated_ns, knee] {
            assert!(
                figure.ci95[0] <= figure.value
                    && figure.value <= figure.ci95[1]
                    && figure.ci95[0] < figure.ci95[1]
            );
        }
        // Besides idle and the first five delays, all lie where latency changes.
        let delays: Vec<u32> =
            loaded.curve(row, column, row).iter().filter_map(|cell| cell.treatment.delay).collect();
        let added: Vec<u32> =
            delays.iter().copied().filter(|delay| !FIRST_DELAYS.contains(delay)).collect();
        assert!(added.len() >= 3 && added.iter().all(|delay| *delay < 1_000), "{delays:?}");
    }
}

#[test]
fn shared_nodes_and_links_are_detected() {
    let (loaded, _) = explored(true, 2, Duration::ZERO);
    // Each victim's path beside each other path of each row.
    assert_eq!(loaded.shared_links.len(), 4 * 4 - 4);
    for link in &loaded.shared_links {
        let ([victim, column], [row, memory]) = (link.a, link.b);
        let busy = latency(victim, column, Some(Load { row, memory: Some(memory), delay: 0 }));
        let slowdown = busy / latency(victim, column, None) - 1.0;
        let truth = if slowdown > 0.05 { LinkSharing::Yes } else { LinkSharing::No };
        assert_eq!(link.found.shared, truth, "{link:?}, truly {slowdown}");
        assert!(
            (link.found.slowdown.unwrap() - slowdown).abs() < 0.03 + 0.03 * slowdown,
            "{link:?}, truly {slowdown}"
        );
    }
    let verdict = |a, b| {
        loaded.shared_links.iter().find(|link| (link.a, link.b) == (a, b)).unwrap().found.shared
    };
    assert_eq!(verdict([0, 1], [1, 1]), LinkSharing::Yes, "both end at node 1");
    assert_eq!(verdict([0, 1], [1, 0]), LinkSharing::No, "the link's other direction");
    assert_eq!(verdict([0, 0], [1, 1]), LinkSharing::No, "each socket by itself");
}

#[test]
fn no_delay_is_added_after_the_time_limit() {
    let (loaded, plans) = explored(false, 3, Duration::from_secs(3600));
    assert_eq!(plans, ["loads"]);
    assert!(loaded.curves.iter().all(|curve| curve.curve.knee_bytes_per_s.is_some()));
}
