//! Bandwidth: first the necessary number of threads, then every kernel with that number; or every
//! kernel with each requested number of threads.

mod cells;
mod outliers;

use std::rc::Rc;
use std::time::Duration;

use nearfar_machine::Topology;
use nearfar_model::{Bytes, CellIndex, CpuId, Instrument};
use nearfar_probe::bandwidth::{BandwidthSetup, StreamTreatment, thread_steps};
use nearfar_probe::thread_team::warm_up;
use nearfar_probe::{Isa, Kernel, Layout, LayoutRow, PageSize, Plan, PlanLimits, ProbeSpec, Work};

use crate::measure::cost::{VisitCost, placing};
use crate::measure::instruments::footprint::last_level;
use crate::measure::{
    Effort, Experiment, ExperimentRun, MeasureError, NewExperiment, Scope, Session, Settings,
    SettingsError, StartSpacing, Turn,
};
use crate::{Bandwidth as Document, Instruments, Outlier, Peak};
use cells::{cells, curve_cells, kernel_cells};
use outliers::{outlier_cells, remeasured};

/// Settings of bandwidth.
#[derive(Clone, Debug)]
pub struct BandwidthSettings {
    /// Kernels other than reading, which is always measured.
    pub kernels: Vec<Kernel>,
    /// Their instruction set.
    pub isa: Isa,
    /// Numbers of threads, ascending; empty to measure a curve of reading until it is flat.
    pub threads: Vec<usize>,
    /// The footprint of a window; by default four times the last-level cache.
    pub size: Option<Bytes>,
    /// The length of a window. The fastest of many windows counts.
    pub window: Duration,
    /// Windows per visit; by default as many as fill 40 ms.
    pub windows: Option<u32>,
    /// The memory channels of each node; by default from SMBIOS.
    pub peak: Option<Peak>,
}

impl Default for BandwidthSettings {
    fn default() -> Self {
        Self {
            kernels: Kernel::ALL.to_vec(),
            isa: Isa::best(),
            threads: vec![],
            size: None,
            window: Duration::from_millis(2),
            windows: None,
            peak: None,
        }
    }
}

impl Settings for BandwidthSettings {
    fn experiment(self, session: &Session, scope: &Scope) -> NewExperiment {
        let layout =
            Layout::new(&session.topology, &scope.by_group(), &ProbeSpec::chase(PageSize::Huge))?;
        let setup = setup(&self, &session.topology, &layout);
        check(&self, &setup)?;
        Ok(Box::new(BandwidthExperiment {
            peak: self.peak.or_else(|| peak_of(session)),
            run: ExperimentRun::new(
                Instrument::Bandwidth,
                scope.options(setup.footprint, 0),
                session.seed,
            ),
            topology: session.topology.clone(),
            threads: self.threads,
            layout,
            setup,
            outliers: vec![],
        }))
    }
}

/// The largest fraction of a limited turn for reading by threads.
const CURVE_SHARE: f64 = 0.5;
/// Consecutive windows take this long, unless one is longer; what precedes them, such as placing
/// memory, takes more.
const VISIT: Duration = Duration::from_millis(40);
/// The time to wake all threads of a visit and check their memory.
const STARTING: Duration = Duration::from_millis(5);

/// Bandwidth on one machine.
struct BandwidthExperiment {
    /// The requested numbers of threads.
    threads: Vec<usize>,
    topology: Rc<Topology>,
    layout: Layout,
    setup: BandwidthSetup,
    peak: Option<Peak>,
    outliers: Vec<Outlier>,
    run: ExperimentRun,
}

impl BandwidthExperiment {
    fn visit(
        &mut self,
        turn: &mut Turn<'_>,
        places: Vec<CellIndex>,
        limits: PlanLimits,
        seed: u64,
        what: &str,
    ) -> Result<(), MeasureError> {
        let plan = Plan { places, controls: vec![], limits, seed };
        self.run.visit(turn, &plan, Work::Bandwidth(self.setup.clone()), StartSpacing::Spaced, what)
    }

    /// Measures outliers again in fresh processes; both sets of samples count.
    fn remeasure_outliers(
        &mut self,
        turn: &mut Turn<'_>,
        limits: PlanLimits,
    ) -> Result<(), MeasureError> {
        let found = outlier_cells(
            &self.setup,
            &self.layout,
            &self.topology,
            &self.run.outcome,
            &self.threads,
        );
        if found.is_empty() {
            return Ok(());
        }
        let places: Vec<CellIndex> = found.iter().map(|(place, _)| *place).collect();
        let before = self.run.outcome.samples.len();
        self.visit(turn, places, limits, self.run.seed.wrapping_add(2), "outliers")?;
        self.outliers = remeasured(found, &self.run.outcome.samples[before..]);
        Ok(())
    }

    fn cost(&self) -> VisitCost {
        let of_rows: u64 = (0..self.setup.rows.len()).map(|row| self.setup.row_bytes(row).0).sum();
        let bytes = of_rows.saturating_mul(self.setup.columns.len() as u64);
        let window = self.setup.window;
        let visit = STARTING + warm_up(window) + window * self.setup.windows;
        VisitCost { process: placing(bytes), visit }
    }

    /// The numbers of places in the plans of a first turn: reading by threads, then each other
    /// kernel once; or all in one.
    fn places_by_plan(&self) -> Vec<usize> {
        if !self.threads.is_empty() {
            return vec![cells(&self.setup, &self.layout, |_| true).len()];
        }
        let places = self.layout.places().len();
        let is_another_kernel = |treatment: &&StreamTreatment| {
            treatment.kernel != Kernel::Read && treatment.threads == 1
        };
        let kernels = self.setup.treatments.iter().filter(is_another_kernel).count();
        vec![curve_cells(&self.setup, &self.layout).len(), places * kernels]
    }

    /// A plan of all cells has the time of the plans that it replaces: one of reading by threads,
    /// one of kernels per requested number.
    fn first_limits(&self, effort: Effort) -> PlanLimits {
        let plans = 1 + self.threads.len() as u32;
        let deadline = self.run.limits.deadline.map(|deadline| deadline * plans);
        effort.limits(PlanLimits { deadline, ..self.run.limits }, 6, 2)
    }

    /// Finds the necessary number of threads, and measures every kernel with it.
    fn visit_up_to_knee(
        &mut self,
        turn: &mut Turn<'_>,
        limits: PlanLimits,
    ) -> Result<(), MeasureError> {
        let curve = curve_cells(&self.setup, &self.layout);
        let kernels = self.places_by_plan()[1];
        let next = self.cost().of(limits, kernels);
        // The rest of a turn is for the kernels.
        let mut turn_of_curve = turn.share(CURVE_SHARE);
        self.visit(&mut turn_of_curve.before(next), curve, limits, self.run.seed, "threads")?;
        let kernels = kernel_cells(&self.setup, &self.layout, &self.run.outcome);
        if !kernels.is_empty() {
            self.visit(turn, kernels, limits, self.run.seed.wrapping_add(1), "kernels")?;
        }
        Ok(())
    }
}

impl Experiment for BandwidthExperiment {
    fn run(&self) -> &ExperimentRun {
        &self.run
    }

    fn expected(&self, effort: Effort) -> Duration {
        let limits = self.first_limits(effort);
        self.places_by_plan()
            .into_iter()
            .filter(|places| *places > 0)
            .map(|places| self.cost().of(limits, places))
            .sum()
    }

    fn begin(&mut self, turn: &mut Turn<'_>, effort: Effort) -> Result<(), MeasureError> {
        let limits = self.first_limits(effort);
        if self.threads.is_empty() {
            self.visit_up_to_knee(turn, limits)?;
        } else {
            // No number has to be found first: all cells share one random order, and any drift.
            let all = cells(&self.setup, &self.layout, |_| true);
            self.visit(turn, all, limits, self.run.seed, "kernels")?;
        }
        self.remeasure_outliers(turn, limits)
    }

    fn next_turn_cost(&self) -> Option<Duration> {
        self.run.next_process(self.cost(), self.run.visited.len())
    }

    fn refine(&mut self, turn: &mut Turn<'_>) -> Result<(), MeasureError> {
        let (limits, seed) = self.run.refine();
        self.visit(turn, self.run.visited.clone(), limits, seed, "further rounds")
    }

    fn record_into<'e>(&'e self, document: &mut Instruments<'e>) {
        if self.run.begun {
            let ExperimentRun { outcome, visited, .. } = &self.run;
            document.outliers.clone_from(&self.outliers);
            let (setup, peak) = (&self.setup, self.peak.clone());
            document.add(Instrument::Bandwidth, [outcome]).bandwidth =
                Some(Document::new(&self.layout, outcome, visited, setup, peak));
        }
    }
}

/// Rejects settings that do not fit this machine; touches nothing.
fn check(settings: &BandwidthSettings, setup: &BandwidthSetup) -> Result<(), SettingsError> {
    let most = setup.rows.iter().map(Vec::len).max().unwrap_or(0);
    if let Some(&threads) = settings.threads.iter().find(|threads| **threads > most) {
        return Err(SettingsError::TooManyThreads { threads, most });
    }
    let cells = || {
        (0..setup.rows.len())
            .flat_map(|row| (0..setup.columns.len()).map(move |column| (row, column)))
    };
    let checks: Vec<Result<(), String>> = cells()
        .map(|(row, column)| setup.check_free(row, column).map_err(|refused| refused.to_string()))
        .collect();
    match (settings.size, checks.into_iter().reduce(Result::or)) {
        (Some(size), Some(Err(why))) => {
            let all = (0..setup.rows.len())
                .map(|row| (setup.row_bytes(row), setup.threads_of(row)))
                .max();
            Err(SettingsError::StreamTooLarge {
                size,
                all: all.filter(|(_, threads)| *threads > 1),
                why,
            })
        }
        _ => Ok(()),
    }
}

/// The peak bandwidth of a node's DIMMs, if SMBIOS describes them completely. A guest's table is
/// invented by its host.
fn peak_of(session: &Session) -> Option<Peak> {
    if session.environment.hypervisor.is_some() {
        return None;
    }
    let channels = session.witnesses.firmware.smbios.as_ref()?.state.decoded()?.channels()?;
    Peak::from_each(channels.count, channels.mega_transfers_per_s, &session.topology)
}

fn setup(settings: &BandwidthSettings, topology: &Topology, layout: &Layout) -> BandwidthSetup {
    let rows: Vec<Vec<CpuId>> = layout.rows.iter().map(|row| in_order(topology, row)).collect();
    let most = rows.iter().map(Vec::len).max().unwrap_or(0);
    let threads =
        if settings.threads.is_empty() { thread_steps(most) } else { settings.threads.clone() };
    let mut kernels = vec![Kernel::Read];
    kernels.extend(settings.kernels.iter().filter(|kernel| **kernel != Kernel::Read));
    let treatments = kernels.iter().flat_map(|&kernel| {
        threads.iter().map(move |&threads| StreamTreatment { kernel, threads })
    });
    BandwidthSetup {
        treatments: treatments.collect(),
        rows,
        columns: layout.columns.iter().map(|column| column.memory.clone()).collect(),
        isa: settings.isa,
        footprint: settings.size.unwrap_or_else(|| Document::footprint(last_level(topology))),
        window: settings.window,
        windows: settings.windows.unwrap_or_else(|| windows_in_a_visit(settings.window)),
    }
}

fn windows_in_a_visit(window: Duration) -> u32 {
    (VISIT.as_micros() / window.as_micros().max(1)).clamp(1, 40) as u32
}

/// A row's CPUs in the order of threads: one of each core, then their siblings.
pub(crate) fn in_order(topology: &Topology, row: &LayoutRow) -> Vec<CpuId> {
    let mut cpus: Vec<CpuId> = row.cpus.iter().collect();
    let place = |cpu: &CpuId| {
        topology.smt_siblings(*cpu).iter().position(|sibling| sibling == *cpu).unwrap_or(0)
    };
    cpus.sort_by_key(|cpu| (place(cpu), *cpu));
    cpus
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_windows_share_a_visit() {
        assert_eq!(
            [1, 10, 15, 40, 300].map(|ms| windows_in_a_visit(Duration::from_millis(ms))),
            [40, 4, 2, 1, 1]
        );
    }
}
