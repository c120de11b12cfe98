//! Disks: accesses one at a time and several at a time, from every CPU group with buffers on every
//! node.

mod made_file;
mod targets;

use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use nearfar_machine::Topology;
use nearfar_model::{Bytes, CellIndex, Instrument};
use nearfar_probe::io::{
    AccessPattern, EngineChoice, FileIdentity, InterruptPlaces, IoOperation, IoSetup, IoTarget,
    IoTreatment, IoWorkload, TargetFile,
};
use nearfar_probe::{Layout, PageSize, ProbeSpec, Work};

use crate::measure::cost::{VisitCost, placing};
use crate::measure::plan_parts::{PartPlan, PlanParts, PlannedExperiment};
use crate::measure::{
    ExperimentRun, MeasureError, NewExperiment, Scope, Session, Settings, SettingsError,
};
use crate::{Io as Document, IoMeasured, IoPlanRun, IoTargetFacts, Survey};
use targets::Target;

pub use made_file::{MadeFile, MadeFileError};

/// Settings of disks.
#[derive(Clone, Debug)]
pub struct IoSettings {
    /// Files and disks.
    pub targets: Vec<IoRequestedTarget>,
    /// How each of them is accessed.
    pub workloads: Vec<IoWorkload>,
    /// The length of a visit with one access at a time; with several it is twice as long.
    pub window: Duration,
    /// Which file nearfar made, if it made one, and how it is opened: no other is overwritten.
    pub made: Option<(FileIdentity, PathBuf)>,
}

impl IoSettings {
    /// Latency of 4 KiB, one at a time, and throughput of 128 KiB, 32 in flight.
    pub fn usual(targets: Vec<IoRequestedTarget>) -> Self {
        let workload = |depth, size| IoWorkload {
            operation: IoOperation::Read,
            depth,
            size,
            pattern: AccessPattern::Random,
        };
        let workloads = vec![workload(1, Bytes::kib(4)), workload(32, Bytes::kib(128))];
        Self { targets, workloads, window: Duration::from_millis(50), made: None }
    }
}

/// A file or a disk to measure.
#[derive(Clone, Debug)]
pub struct IoRequestedTarget {
    /// Its path.
    pub path: PathBuf,
    /// Whether nearfar made it: then it is overwritten, too. All others are only read.
    pub is_made: bool,
    /// Where its interrupts are set to, each in turn; empty: they stay. A guard restores them.
    pub interrupt_places: Vec<InterruptPlaces>,
    /// Why they cannot be set, if they were to be set.
    pub interrupts_why: Option<String>,
}

/// The budget of one target, if the user names none.
pub const IO_BUDGET: Duration = Duration::from_secs(60);

impl Settings for IoSettings {
    fn experiment(self, session: &Session, scope: &Scope) -> NewExperiment {
        let layout =
            Layout::new(&session.topology, &scope.by_group(), &ProbeSpec::chase(PageSize::Huge))?;
        Ok(Box::new(IoExperiment::new(&self, session, scope, layout)?))
    }
}

/// Disks of one machine.
struct IoExperiment {
    layout: Layout,
    topology: Rc<Topology>,
    targets: Vec<IoTargetFacts>,
    engine: EngineChoice,
    plans: PlanParts<IoPlan>,
}

impl IoExperiment {
    fn new(
        settings: &IoSettings,
        session: &Session,
        scope: &Scope,
        layout: Layout,
    ) -> Result<Self, MeasureError> {
        let read = |wanted: &IoRequestedTarget| {
            Target::read(&session.source, wanted, settings.made.as_ref())
        };
        let targets: Vec<Target> = settings.targets.iter().map(read).collect::<Result<_, _>>()?;
        let files =
            targets.iter().map(|target| (target.probed.path.as_path(), target.probed.identity));
        TargetFile::refuse_same(&files.collect::<Vec<_>>())?;
        if layout.places().is_empty() {
            let reasons = layout.columns.iter().filter_map(|column| column.memory.why_not.clone());
            return Err(MeasureError::NoMemory { reasons: reasons.collect::<Vec<_>>().join("; ") });
        }
        let footprint = settings.workloads.iter().map(IoWorkload::footprint).max();
        let buffers =
            Bytes(footprint.unwrap_or(Bytes(0)).0.max(HUGE) * layout.columns.len() as u64);
        refuse_large(settings, &targets, &layout)?;
        let paths = targets.iter().map(|target| target.probed.path.as_path());
        let engine = EngineChoice::detect(buffers).for_targets(paths);
        let options = scope.options(buffers, 0);
        let run = ExperimentRun::new(Instrument::Io, options, session.seed);
        let setup = IoSetup {
            rows: layout.rows.iter().map(|row| row.candidates.clone()).collect(),
            memories: layout.columns.iter().map(|column| column.memory.clone()).collect(),
            targets: targets.iter().map(|target| target.probed.clone()).collect(),
            treatments: vec![],
            engine: engine.engine,
            window: settings.window,
        };
        let control = layout.nearest_column(&session.topology, layout.rows[0].node);
        let control = CellIndex::new(0, control.unwrap_or_default());
        let plan = |class: IoClass| {
            IoPlan::new(class, &settings.workloads, &targets, &setup, &layout.places(), control)
        };
        let plans = [IoClass::Latency, IoClass::Throughput].into_iter().filter_map(plan);
        let plans = PlanParts::new(plans, run);
        Ok(Self {
            layout,
            topology: Rc::clone(&session.topology),
            targets: targets.into_iter().map(|target| target.facts).collect(),
            engine,
            plans,
        })
    }

    /// Gives up targets that are no longer what was measured. A visit notices only what it
    /// accesses, and the last one may have been before.
    fn give_up_changed(&mut self) {
        let setup = &self.plans.parts[0].plan.setup;
        let why_not = |one: &IoTarget| {
            let checked = TargetFile::check_unchanged(one.opened_by(), one.identity, one.bytes);
            checked.err().map(|why| why.to_string())
        };
        let changed: Vec<Option<String>> = setup.targets.iter().map(why_not).collect();
        for (target, why) in changed.iter().enumerate() {
            let Some(why) = why else { continue };
            for part in &mut self.plans.parts {
                let is_its = |plan: &IoPlan, cell: CellIndex| {
                    plan.setup.treatments[cell.treatment].target == target
                };
                part.give_up(is_its, why);
            }
        }
    }

    fn measured(&self) -> IoMeasured<'_> {
        let class_run = |class| {
            let part = self.plans.parts.iter().find(|part| part.plan.class == class)?;
            part.run.begun.then_some(IoPlanRun {
                outcome: &part.run.outcome,
                visited: &part.run.visited,
                setup: &part.plan.setup,
            })
        };
        IoMeasured {
            targets: &self.targets,
            engine: &self.engine,
            layout: &self.layout,
            topology: &self.topology,
            latency: class_run(IoClass::Latency),
            throughput: class_run(IoClass::Throughput),
        }
    }
}

impl PlannedExperiment for IoExperiment {
    type Plan = IoPlan;

    fn plans(&self) -> &PlanParts<IoPlan> {
        &self.plans
    }

    fn plans_mut(&mut self) -> &mut PlanParts<IoPlan> {
        &mut self.plans
    }

    fn end_turn(&mut self) {
        self.give_up_changed();
    }

    fn add_part(&self, survey: &mut Survey) {
        survey.io = Some(Document::new(&self.measured()));
    }
}

/// Refuses accesses in flight that exceed a target, or half of the memory that is free on a node.
fn refuse_large(
    settings: &IoSettings,
    targets: &[Target],
    layout: &Layout,
) -> Result<(), SettingsError> {
    let Some(largest) = settings.workloads.iter().max_by_key(|workload| workload.footprint())
    else {
        return Ok(());
    };
    let refusal = |what: String, most| SettingsError::AccessesTooLarge {
        depth: largest.depth,
        size: largest.size,
        footprint: largest.footprint(),
        what,
        most,
    };
    let target = targets.iter().find(|target| target.probed.bytes < largest.footprint());
    if let Some(target) = target {
        return Err(refusal(target.facts.path.clone(), target.probed.bytes));
    }
    for column in &layout.columns {
        let Some(free) = column.memory.free else { continue };
        if largest.footprint().0 > free.0 / 2 {
            return Err(refusal(
                format!("half of the free memory of {}", column.label),
                Bytes(free.0 / 2),
            ));
        }
    }
    Ok(())
}

/// A huge page, the least that a buffer takes.
const HUGE: u64 = 2 << 20;

/// What the figures of accesses are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IoClass {
    /// The time of an access: one at a time.
    Latency,
    /// Bytes a second: several at a time.
    Throughput,
}

impl IoClass {
    const fn name(self) -> &'static str {
        match self {
            Self::Latency => "latency",
            Self::Throughput => "throughput",
        }
    }

    fn contains(self, workload: &IoWorkload) -> bool {
        (workload.depth == 1) == (self == Self::Latency)
    }
}

/// What is visited in each round.
struct IoPlan {
    class: IoClass,
    setup: IoSetup,
    places: Vec<CellIndex>,
    controls: Vec<CellIndex>,
}

impl IoPlan {
    /// The plan of a class; `None` if no workload is of it. `setup` has no treatments yet. Each
    /// target's first treatment is repeated at one cell, as a control.
    fn new(
        class: IoClass,
        workloads: &[IoWorkload],
        targets: &[Target],
        setup: &IoSetup,
        cells: &[CellIndex],
        control: CellIndex,
    ) -> Option<Self> {
        let (mut treatments, mut again) = (Vec::new(), Vec::new());
        for (index, target) in targets.iter().enumerate() {
            let first = treatments.len();
            for workload in workloads.iter().filter(|workload| class.contains(workload)) {
                let operations: &[IoOperation] = if target.facts.is_made {
                    &[IoOperation::Read, IoOperation::Write]
                } else {
                    &[IoOperation::Read]
                };
                for &operation in operations {
                    let workload = IoWorkload { operation, ..*workload };
                    let places = target.probed.interrupt_places.len();
                    let interrupts: Vec<Option<usize>> =
                        if places == 0 { vec![None] } else { (0..places).map(Some).collect() };
                    treatments.extend(interrupts.into_iter().map(|interrupts| IoTreatment {
                        target: index,
                        workload,
                        interrupts,
                        again: false,
                    }));
                }
            }
            again.extend(treatments.get(first).map(|first| IoTreatment { again: true, ..*first }));
        }
        if treatments.is_empty() {
            return None;
        }
        let measured = treatments.len();
        treatments.extend(again);
        let cell_places =
            |cell: &CellIndex| (0..measured).map(|at| cell.with_treatment(at)).collect::<Vec<_>>();
        let controls = (measured..treatments.len()).map(|at| control.with_treatment(at));
        let window = match class {
            IoClass::Latency => setup.window,
            IoClass::Throughput => setup.window * 2,
        };
        Some(Self {
            class,
            places: cells.iter().flat_map(cell_places).collect(),
            controls: controls.collect(),
            setup: IoSetup { treatments, window, ..setup.clone() },
        })
    }
}

impl PartPlan for IoPlan {
    fn name(&self) -> &'static str {
        self.class.name()
    }

    fn places(&self) -> &[CellIndex] {
        &self.places
    }

    fn controls(&self) -> &[CellIndex] {
        &self.controls
    }

    fn work(&self) -> Work {
        Work::Io(self.setup.clone())
    }

    fn cost(&self) -> VisitCost {
        let bytes = self.setup.footprint().0.saturating_mul(self.setup.memories.len() as u64);
        // Disks may take longer than a window; the schedule adapts to what visits took.
        VisitCost { process: placing(bytes), visit: self.setup.window * 5 / 4 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_that_exceed_half_of_a_nodes_memory_are_refused() {
        let session = Session::begin(Some(1)).unwrap();
        let (scope, probe) = (Scope::default().by_group(), ProbeSpec::chase(PageSize::Huge));
        let mut layout = Layout::new(&session.topology, &scope, &probe).unwrap();
        let settings = IoSettings::usual(vec![]);
        for column in &mut layout.columns {
            column.memory.free = Some(Bytes::mib(8));
        }
        assert_eq!(refuse_large(&settings, &[], &layout), Ok(()));
        layout.columns[0].memory.free = Some(Bytes::mib(6));
        let refusal = refuse_large(&settings, &[], &layout).unwrap_err().to_string();
        let expected = "32 accesses of 128 KiB in flight are 4 MiB, and half of the free memory of";
        assert!(refusal.starts_with(expected), "{refusal}");
        assert!(refusal.contains("has only 3 MiB"), "{refusal}");
    }
}
