//! GPUs: copies between every node's memory and every GPU, from every CPU group; and between GPUs.

mod no_such_gpu;
mod plans;
mod targets;

use std::time::Duration;

use nearfar_model::{Bytes, CellIndex, Instrument};
use nearfar_probe::gpu::{CopyFigure, GpuInventory, GpuSetup};
use nearfar_probe::{Layout, LayoutColumn, MemoryJob, PageSize, ProbeSpec};

use crate::measure::plan_parts::{PlanParts, PlannedExperiment};
use crate::measure::{ExperimentRun, MeasureError, NewExperiment, Scope, Session, Settings};
use crate::{Gpu as Document, GpuDriverFacts, GpuFacts, GpuMeasured, GpuPlanRun, Survey};
use plans::{CopyChoice, GpuPlan, GpuTableKind};
use targets::Targets;

pub use no_such_gpu::NoSuchGpu;

/// Settings of GPUs.
#[derive(Clone, Debug)]
pub struct GpuSettings {
    /// The GPUs of the driver.
    pub inventory: GpuInventory,
    /// The program that works with the driver, for the document: "this program", a path.
    pub helper: String,
    /// Labels, PCI addresses or numbers of the GPUs to measure; empty: all.
    pub wanted: Vec<String>,
    /// Bytes of a copy whose rate is measured.
    pub size: Bytes,
    /// The least time that a visit copies for.
    pub window: Duration,
    /// Whether pageable memory is measured beside pinned memory.
    pub pageable: bool,
    /// Whether all GPUs of a package copy at once, beside each alone.
    pub together: bool,
    /// Whether GPUs copy to each other.
    pub peers: bool,
}

/// The budget of one GPU, if the user names none.
pub const GPU_BUDGET: Duration = Duration::from_secs(60);

impl Settings for GpuSettings {
    fn experiment(self, session: &Session, scope: &Scope) -> NewExperiment {
        let layout =
            Layout::new(&session.topology, &scope.by_group(), &ProbeSpec::chase(PageSize::Huge))?;
        Ok(Box::new(GpuExperiment::new(&self, session, scope, layout)?))
    }
}

/// The GPUs of one machine.
struct GpuExperiment {
    layout: Layout,
    /// One row, and one column that stands for no memory.
    between_gpus: Layout,
    driver: GpuDriverFacts,
    gpus: Vec<GpuFacts>,
    plans: PlanParts<GpuPlan>,
}

impl GpuExperiment {
    fn new(
        settings: &GpuSettings,
        session: &Session,
        scope: &Scope,
        layout: Layout,
    ) -> Result<Self, MeasureError> {
        let targets = Targets::find(settings, session)?;
        if layout.places().is_empty() {
            let reasons = layout.columns.iter().filter_map(|column| column.memory.why_not.clone());
            return Err(MeasureError::NoMemory { reasons: reasons.collect::<Vec<_>>().join("; ") });
        }
        let choice = CopyChoice {
            size: settings.size,
            pageable: settings.pageable,
            groups: if settings.together { targets.by_package() } else { vec![] },
            peers: settings.peers,
        };
        let setup = GpuSetup {
            rows: layout.rows.iter().map(|row| row.candidates.clone()).collect(),
            memories: layout.columns.iter().map(|column| column.memory.clone()).collect(),
            api: settings.inventory.api,
            gpus: targets.probed,
            treatments: vec![],
            figure: CopyFigure::Rate,
            window: settings.window,
        };
        let control = layout.nearest_column(&session.topology, layout.rows[0].node);
        let control = CellIndex::new(0, control.unwrap_or_default());
        let places = layout.places();
        let options = scope.options(settings.size, 0);
        let run = ExperimentRun::new(Instrument::Gpu, options, session.seed);
        let plans = PlanParts::new(
            GpuTableKind::ALL
                .into_iter()
                .filter_map(|kind| GpuPlan::new(kind, &choice, &setup, &places, control)),
            run,
        );
        Ok(Self {
            between_gpus: between_gpus(&layout),
            layout,
            driver: GpuDriverFacts::new(&settings.inventory, &settings.helper),
            gpus: targets.facts,
            plans,
        })
    }

    fn measured(&self) -> GpuMeasured<'_> {
        let kind_run = |kind| {
            let part = self.plans.parts.iter().find(|part| part.plan.kind == kind)?;
            part.run.begun.then_some(GpuPlanRun {
                layout: if part.plan.is_between_gpus() { &self.between_gpus } else { &self.layout },
                outcome: &part.run.outcome,
                visited: &part.run.visited,
                setup: &part.plan.setup,
            })
        };
        GpuMeasured {
            driver: &self.driver,
            gpus: &self.gpus,
            bandwidth: kind_run(GpuTableKind::Bandwidth),
            latency: kind_run(GpuTableKind::Latency),
            peer_bandwidth: kind_run(GpuTableKind::PeerBandwidth),
            peer_latency: kind_run(GpuTableKind::PeerLatency),
        }
    }
}

impl PlannedExperiment for GpuExperiment {
    type Plan = GpuPlan;

    fn plans(&self) -> &PlanParts<GpuPlan> {
        &self.plans
    }

    fn plans_mut(&mut self) -> &mut PlanParts<GpuPlan> {
        &mut self.plans
    }

    fn add_part(&self, survey: &mut Survey) {
        survey.gpu = Some(Document::new(&self.measured()));
    }
}

/// The layout of copies from GPU to GPU: CPUs of the first group start them, and no memory of the
/// host takes part.
fn between_gpus(layout: &Layout) -> Layout {
    let column = layout.columns.first().map(|column| LayoutColumn {
        label: "GPU memory".to_owned(),
        memory: MemoryJob::default(),
        ..column.clone()
    });
    Layout {
        rows: layout.rows.iter().take(1).cloned().collect(),
        columns: column.into_iter().collect(),
        ..Layout::default()
    }
}
