//! Access latency: one CPU of a row accesses a column's memory by one of the probes.

use fastrand::Rng;
use nearfar_machine::pmu::{FillEvents, LivePmu};
use nearfar_model::{CpuSet, MatrixShape, Sample};
use serde::{Deserialize, Serialize};

use crate::layout_column::LayoutColumn;
use crate::probe_error::ProbeError;
use crate::probes::slice::Probe;
use crate::worker::memories::{FreeMemory, moved_since_placed, place};
use crate::worker::messages::Messages;
use crate::worker::pinned_cpu::{PinnedCpu, draw_each};
use crate::worker::sliced::{SlicedSample, spare_attempts};
use crate::worker::spinners::Spinners;
use crate::worker::station::{NoSample, Prepare, ReadyStation, Station, WorkSetup};
use crate::worker::visit_fills::VisitFills;
use crate::worker_message::{Batch, PlanScope, Visit, WorkerMessage};

/// A CPU for each row and a probe for each column, if visited and available.
struct LatencyStation<'s> {
    setup: &'s LatencySetup,
    cpus: Vec<Option<PinnedCpu>>,
    probes: Vec<Option<Box<dyn Probe>>>,
    sample: SlicedSample,
    fills: VisitFills,
    _spinners: Spinners,
}

impl Prepare for LatencySetup {
    fn station<'s>(&'s self, batch: &'s Batch, messages: &mut Messages<'_>) -> ReadyStation<'s> {
        let mut random = Rng::with_seed(batch.seed);
        let cpus = draw_each(self.rows.iter(), batch, &mut random.fork(), messages);
        let probes = place_columns(self, batch, &mut random.fork(), messages);
        let _spinners = Spinners::start(&self.spinners);
        Some(Box::new(LatencyStation {
            setup: self,
            cpus,
            probes,
            sample: SlicedSample::default(),
            fills: VisitFills::open(&LivePmu, self.fills.as_ref()),
            _spinners,
        }))
    }
}

impl Station for LatencyStation<'_> {
    fn attempt(&mut self, visit: Visit, messages: &mut Messages<'_>) -> Result<Sample, NoSample> {
        let column = visit.place.column;
        let (Some(cpu), Some(probe)) = (&mut self.cpus[visit.place.row], &mut self.probes[column])
        else {
            return Err(NoSample::Over);
        };
        let page = visit.draw % self.setup.columns[column].pages;
        self.fills.begin(visit);
        let sample = self.sample.attempt(visit, page, cpu, probe.as_mut(), messages)?;
        self.fills.end(probe.division().accesses(), messages);
        Ok(sample)
    }

    fn spare_attempts(&self, visit: Visit) -> u64 {
        self.probes[visit.place.column]
            .as_ref()
            .map_or(0, |probe| spare_attempts(probe.division().slices))
    }

    /// Verifies all pages once more: samples check only some pages of a large buffer.
    fn moved(&self) -> Vec<(Vec<PlanScope>, String)> {
        let moved = self.probes.iter().enumerate().filter_map(|(column, probe)| {
            let why = moved_since_placed(probe.as_ref()?.memory())?;
            Some((vec![PlanScope::Column(column)], why))
        });
        moved.collect()
    }
}

/// Places memory for every visited column in random order. The kernel reuses pages of the previous
/// process, and the first buffer was 8 to 16 % slower on 4 KiB pages, whichever it was (measured on
/// a guest).
fn place_columns(
    setup: &LatencySetup,
    batch: &Batch,
    random: &mut Rng,
    messages: &mut Messages<'_>,
) -> Vec<Option<Box<dyn Probe>>> {
    let mut free_memory = FreeMemory::default();
    let mut queue = Vec::with_capacity(setup.columns.len());
    for (index, column) in setup.columns.iter().enumerate() {
        let of_column = random.fork();
        if batch.visits.iter().any(|visit| visit.place.column == index) {
            queue.push((index, free_memory.grant(column), of_column));
        }
    }
    random.shuffle(&mut queue);
    let mut probes: Vec<Option<Box<dyn Probe>>> = setup.columns.iter().map(|_| None).collect();
    for (column, granted, mut of_column) in queue {
        match place(&setup.columns[column], granted, &mut of_column) {
            Err(why) => messages.report_unavailable([PlanScope::Column(column)], &why),
            Ok((probe, placed)) => {
                messages.send(WorkerMessage::Placed { column, treatment: 0, placed });
                probes[column] = Some(probe);
            }
        }
    }
    probes
}

/// The setup of every process of a survey.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatencySetup {
    /// Each row's candidates. A process measures on one of them, drawn from its seed, so that
    /// intervals include the choice.
    pub rows: Vec<CpuSet>,
    /// Each column's memory.
    pub columns: Vec<LayoutColumn>,
    /// CPUs on which a thread spins so that their package stays awake.
    pub spinners: CpuSet,
    /// Events to count during each visit, where they can be counted.
    #[serde(default)]
    pub fills: Option<FillEvents>,
}

impl WorkSetup for LatencySetup {
    fn shape(&self) -> MatrixShape {
        MatrixShape::new(self.rows.len(), self.columns.len())
    }

    fn check(&self) -> Result<(), ProbeError> {
        self.columns.iter().try_for_each(LayoutColumn::check)
    }
}
