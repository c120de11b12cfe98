//! Machines of a few nodes, and a backend that simulates them.

use std::convert::Infallible;
use std::time::Duration;

use nearfar_diagnose::Witnesses;
use nearfar_infer::core_to_core::Explorer;
use nearfar_machine::{Activity, Environment, Source, Topology};
use nearfar_model::{Bytes, CpuId, CpuSet, NodeId};
use nearfar_probe::bandwidth::{BandwidthSetup, MemoryJob, Treatment};
use nearfar_probe::core_to_core::{Exploration, PairSetup};
use nearfar_probe::{
    Isa, Kernel, Layout, LayoutColumn, LayoutRow, Outcome, PageSize, Plan, ProbeSpec, Respondent, Work,
};
use nearfar_survey::{Instruments, Observed, Provenance, Survey};

use crate::{Backend, Experiment, MeasureError, Spacing, Task, Turn};

/// Groups, and nodes.
pub(crate) const NODES: usize = 4;

/// A CPU and a memory at each of four nodes.
pub(crate) fn layout() -> Layout {
    layout_of("group", NODES, |node| CpuSet::of(CpuId(node as u32)))
}

/// Nodes, each with a memory and a row of that kind with these CPUs.
pub(crate) fn layout_of(kind: &str, nodes: usize, cpus: impl Fn(usize) -> CpuSet) -> Layout {
    let node = |node: usize| Some(NodeId(node as u32));
    let row = |index| LayoutRow {
        label: format!("{kind} {index}"),
        node: node(index),
        cpus: cpus(index),
        candidates: cpus(index),
    };
    let column = |index| LayoutColumn {
        label: format!("node {index}"),
        node: node(index),
        pages: 1,
        probe: ProbeSpec::chase(PageSize::Huge),
        touch_from: cpus(index),
        free: None,
        why_not: None,
    };
    Layout {
        rows: (0..nodes).map(row).collect(),
        columns: (0..nodes).map(column).collect(),
        control_columns: vec![],
        controls: vec![],
        spinners: CpuSet::new(),
    }
}

/// Reading and writing past caches, by one thread.
pub(crate) fn setup() -> BandwidthSetup {
    let kernels = [Kernel::Read, Kernel::NtWrite];
    BandwidthSetup {
        rows: (0..NODES).map(|row| vec![CpuId(row as u32)]).collect(),
        columns: layout().columns.iter().map(MemoryJob::of).collect(),
        treatments: kernels.map(|kernel| Treatment { kernel, threads: 1 }).to_vec(),
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
    pub(crate) fn new<R: Respondent<Error = Infallible>>(takes: Duration, answers: A) -> Self
    where
        A: Fn(Work) -> R,
    {
        Self { takes, elapsed: Duration::ZERO, answers, plans: vec![] }
    }
}

impl<A: Fn(Work) -> R, R: Respondent<Error = Infallible>> Backend for Simulated<A> {
    fn elapsed(&self) -> Duration {
        self.elapsed
    }

    fn run(&mut self, plan: &Plan, work: Work, _: Spacing, task: &Task) -> Result<Outcome, MeasureError> {
        self.plans.push(task.name.clone());
        self.elapsed += self.takes;
        let Ok(outcome) = nearfar_probe::run(plan, &mut (self.answers)(work), &|| Duration::ZERO, &mut |_| true);
        Ok(outcome)
    }

    fn explore(&mut self, _: Explorer, _: &PairSetup, _: &Task) -> Result<Exploration, MeasureError> {
        unreachable!("nothing is explored")
    }
}

/// A turn without a limit of time.
pub(crate) fn turn<'t>(backend: &'t mut dyn Backend, page_sample: &'t mut Option<Duration>) -> Turn<'t> {
    Turn { backend, page_sample, instrument: None, ends: None, all_end: None }
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
            options: experiment.options(),
        },
    };
    nearfar_survey::assemble(observed).unwrap()
}
