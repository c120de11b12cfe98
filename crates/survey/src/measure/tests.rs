//! Machines of a few nodes, and a backend that simulates them.

use std::cell::RefCell;
use std::convert::Infallible;
use std::rc::Rc;
use std::time::Duration;

use nearfar_diagnose::Witnesses;
use nearfar_infer::core_to_core::Explorer;
use nearfar_machine::{Activity, Environment, Source, Topology};
use nearfar_model::{Bytes, CpuId, CpuSet, Instrument, NodeId};
use nearfar_probe::bandwidth::{BandwidthSetup, StreamTreatment};
use nearfar_probe::core_to_core::{Exploration, PairSetup};
use nearfar_probe::{
    BatchExecutor, Isa, Kernel, LatencySetup, Layout, LayoutColumn, LayoutRow, MemoryJob, PageSize,
    Plan, PlanLimits, PlanOutcome, PlanStopReason, ProbeSpec, Work,
};

use crate::measure::{
    Backend, Effort, Experiment, ExperimentRun, MeasureError, PlanTask, RunSummary, Scope,
    StartSpacing, Turn,
};
use crate::{Instruments, Observed, Provenance, Survey};

pub(crate) const NODES: usize = 4;

/// A CPU and a memory at each of four nodes.
pub(crate) fn layout() -> Layout {
    layout_of("group", NODES, |node| CpuSet::from_id(CpuId(node as u32)))
}

/// Nodes, each with a memory and a row of that kind with these CPUs.
pub(crate) fn layout_of(kind: &str, nodes: usize, cpus: impl Fn(usize) -> CpuSet) -> Layout {
    let node = |node: usize| Some(NodeId(node as u32));
    let row = |index| LayoutRow::new(format!("{kind} {index}"), node(index), cpus(index));
    let column = |index| LayoutColumn {
        label: format!("node {index}"),
        probe: ProbeSpec::chase(PageSize::Huge),
        pages: 1,
        memory: MemoryJob { node: node(index), touch_from: cpus(index), ..MemoryJob::default() },
    };
    let columns = (0..nodes).map(column).collect();
    Layout { rows: (0..nodes).map(row).collect(), columns, ..Layout::default() }
}

/// Two nodes with memory, and one without, which stands beside the second.
pub(crate) fn three_nodes() -> Topology {
    let nodes = [("0", "64", "10 20 20"), ("1", "64", "20 10 12"), ("2", "0", "20 12 10")];
    let node_files = |(id, mib, distance): (&str, &str, &str)| {
        let folder = format!("/sys/devices/system/node/node{id}");
        let meminfo = format!("Node {id} MemTotal: {mib}000 kB\nNode {id} MemFree: {mib}000 kB\n");
        [("cpulist", id.to_owned()), ("meminfo", meminfo), ("distance", distance.to_owned())]
            .map(|(file, text)| (format!("{folder}/{file}"), text))
    };
    let fixed = [
        ("/sys/devices/system/cpu/online", "0-2"),
        ("/sys/devices/system/node/online", "0-2"),
        ("/proc/self/status", "Cpus_allowed_list:\t0-2\nMems_allowed_list:\t0-2\n"),
    ];
    let fixed = fixed.map(|(path, text)| (path.to_owned(), text.to_owned()));
    Topology::read(&Source::from_files(
        fixed.into_iter().chain(nodes.into_iter().flat_map(node_files)),
    ))
    .unwrap()
}

/// Reading and writing past caches, by one thread.
pub(crate) fn setup() -> BandwidthSetup {
    let kernels = [Kernel::Read, Kernel::NtWrite];
    BandwidthSetup {
        rows: (0..NODES).map(|row| vec![CpuId(row as u32)]).collect(),
        columns: layout().columns.into_iter().map(|column| column.memory).collect(),
        treatments: kernels.map(|kernel| StreamTreatment { kernel, threads: 1 }).to_vec(),
        isa: Isa::Portable,
        footprint: Bytes::mib(64),
        window: Duration::from_millis(10),
        windows: 1,
    }
}

/// A simulated machine: `answers` makes what answers the visits of a kind of work.
pub(crate) struct Simulated<A> {
    /// What a plan takes.
    takes: Duration,
    elapsed: Duration,
    answers: A,
    /// The names of the plans so far.
    pub(crate) plans: Vec<String>,
}

impl<A> Simulated<A> {
    pub(crate) fn new<R: BatchExecutor<Error = Infallible>>(takes: Duration, answers: A) -> Self
    where
        A: Fn(Work) -> R,
    {
        Self { takes, elapsed: Duration::ZERO, answers, plans: vec![] }
    }
}

impl<A: Fn(Work) -> R, R: BatchExecutor<Error = Infallible>> Backend for Simulated<A> {
    fn elapsed(&self) -> Duration {
        self.elapsed
    }

    fn run(
        &mut self,
        plan: &Plan,
        work: Work,
        _: StartSpacing,
        task: &PlanTask,
    ) -> Result<PlanOutcome, MeasureError> {
        self.plans.push(task.name.clone());
        self.elapsed += self.takes;
        let Ok(outcome) =
            nearfar_probe::run(plan, &mut (self.answers)(work), &|| Duration::ZERO, &mut |_| true);
        Ok(outcome)
    }

    fn explore(
        &mut self,
        _: Explorer,
        _: &PairSetup,
        _: &PlanTask,
    ) -> Result<Exploration, MeasureError> {
        unreachable!("nothing is explored")
    }
}

/// A turn without a limit of time.
pub(crate) fn turn<'t>(
    backend: &'t mut dyn Backend,
    page_sample: &'t mut Option<Duration>,
) -> Turn<'t> {
    let later = Duration::ZERO;
    Turn {
        backend,
        page_sample,
        instrument: None,
        ends: None,
        all_end: None,
        later,
        cost: None,
        least_next: None,
        uncertainty: None,
    }
}

/// The survey of what one experiment measured, on a machine of four CPUs that shows no nodes.
pub(crate) fn survey(experiment: &dyn Experiment, seed: u64) -> Survey {
    let source = Source::from_files([("/sys/devices/system/cpu/online", "0-3")]);
    let mut instruments = Instruments::default();
    experiment.record_into(&mut instruments);
    let done = experiment.done();
    let observed = Observed {
        topology: &Topology::read(&source).unwrap(),
        environment: &Environment::read(&source),
        witnesses: &Witnesses::read(&source),
        devices: None,
        interrupts: None,
        activity: &Activity::default(),
        went_offline: CpuSet::new(),
        instruments,
        threshold: nearfar_infer::THRESHOLD,
        provenance: Provenance {
            version: String::new(),
            seed,
            started: String::new(),
            duration_s: 1.0,
            processes: done.processes,
            rounds: done.rounds,
            stopped: done.stopped.name().to_owned(),
            budget_s: None,
            instruments: vec![],
            left_out: vec![],
            options: experiment.run().options.clone(),
        },
    };
    crate::assemble(observed).unwrap()
}

/// A clock that a plan's deadline advances.
#[derive(Default)]
pub(crate) struct Clock(Duration);

impl Backend for Clock {
    fn elapsed(&self) -> Duration {
        self.0
    }

    fn run(
        &mut self,
        plan: &Plan,
        _: Work,
        _: StartSpacing,
        _: &PlanTask,
    ) -> Result<PlanOutcome, MeasureError> {
        self.0 += plan.limits.deadline.unwrap();
        Ok(PlanOutcome::default())
    }

    fn explore(
        &mut self,
        _: Explorer,
        _: &PairSetup,
        _: &PlanTask,
    ) -> Result<Exploration, MeasureError> {
        unreachable!("nothing is explored")
    }
}

/// What a simulated experiment is like, and what became of it.
#[derive(Clone)]
pub(crate) struct Scripted {
    pub(crate) instrument: Instrument,
    /// The expected seconds of its first and its further turns.
    pub(crate) expected_s: [f64; 2],
    /// The ratio of actual to expected time.
    pub(crate) pace: f64,
    /// Its uncertainty after one turn; infinite: never known.
    pub(crate) scatter: f64,
    /// At which turn it fails, and whether that is an interruption.
    pub(crate) fails_at: Option<(u32, bool)>,
    pub(crate) turns: u32,
    pub(crate) begun: Option<Effort>,
}

impl Default for Scripted {
    /// Its minimal turn takes 10 s, a further one 2 s.
    fn default() -> Self {
        Self {
            instrument: Instrument::Latency,
            expected_s: [10.0, 2.0],
            pace: 1.0,
            scatter: 1.0,
            fails_at: None,
            turns: 0,
            begun: None,
        }
    }
}

/// Shared, so that a test sees what became of it.
#[derive(Clone)]
pub(crate) struct Shared(pub(crate) Rc<RefCell<Scripted>>, Rc<ExperimentRun>);

impl Shared {
    pub(crate) fn new(scripted: Scripted) -> Self {
        let limits = PlanLimits { standard_error: 1.0, ..PlanLimits::usual() };
        let options = Scope::default().options(Bytes(0), 0);
        let run = ExperimentRun { limits, ..ExperimentRun::new(scripted.instrument, options, 1) };
        Self(Rc::new(RefCell::new(scripted)), Rc::new(run))
    }

    fn measure(&self, turn: &mut Turn<'_>, seconds: f64) -> Result<(), MeasureError> {
        let this = &mut *self.0.borrow_mut();
        let takes = Some(Duration::from_secs_f64(seconds * this.pace));
        let limits = PlanLimits { deadline: takes, ..PlanLimits::quick() };
        let plan = Plan { places: vec![], controls: vec![], limits, seed: 0 };
        let setup =
            LatencySetup { rows: vec![], columns: vec![], spinners: CpuSet::new(), fills: None };
        turn.run(&plan, Work::Latency(setup), StartSpacing::AtOnce, "simulated")?;
        this.turns += 1;
        match this.fails_at {
            Some((at, true)) if at == this.turns => Err(MeasureError::Interrupted),
            Some((at, false)) if at == this.turns => {
                Err(MeasureError::NoMemory { reasons: String::new() })
            }
            _ => Ok(()),
        }
    }
}

impl Experiment for Shared {
    fn run(&self) -> &ExperimentRun {
        &self.1
    }

    fn expected(&self, effort: Effort) -> Duration {
        let minimal = self.0.borrow().expected_s[0];
        Duration::from_secs_f64(if effort == Effort::Minimal { minimal } else { 10.0 * minimal })
    }

    fn begin(&mut self, turn: &mut Turn<'_>, effort: Effort) -> Result<(), MeasureError> {
        self.0.borrow_mut().begun = Some(effort);
        self.measure(turn, self.expected(effort).as_secs_f64())
    }

    fn next_turn_cost(&self) -> Option<Duration> {
        let this = self.0.borrow();
        (this.turns < 1_000).then(|| Duration::from_secs_f64(this.expected_s[1]))
    }

    fn refine(&mut self, turn: &mut Turn<'_>) -> Result<(), MeasureError> {
        let seconds = self.0.borrow().expected_s[1];
        self.measure(turn, seconds)
    }

    fn worst_error(&self) -> Option<f64> {
        let this = self.0.borrow();
        let now = this.scatter / f64::from(this.turns.max(1)).sqrt();
        now.is_finite().then_some(now)
    }

    fn done(&self) -> RunSummary {
        let processes = self.0.borrow().turns;
        RunSummary { processes, rounds: 2 * processes, stopped: PlanStopReason::RoundLimit }
    }

    fn record_into<'e>(&'e self, _: &mut Instruments<'e>) {}
}
