//! Caches: sizes, memory, and the caches that the machine reports.

use std::time::Duration;

use nearfar_machine::{Cache, CacheKind, Topology};
use nearfar_model::{Bytes, CpuId, Instrument};
use nearfar_probe::caches::{CacheSetup, SweepRow, footprint, sizes, thinned};
use nearfar_probe::{
    Layout, LayoutColumn, LayoutRequest, LayoutRow, MemoryJob, PageSize, Plan, PlanLimits,
    ProbeSpec, Work,
};

use crate::measure::cost::{VisitCost, placing};
use crate::measure::{
    Effort, Experiment, ExperimentRun, MeasureError, NewExperiment, Scope, Session, Settings,
    SettingsError, StartSpacing, Turn,
};
use crate::{Caches as Document, Instruments, Mode};

/// Settings of caches.
#[derive(Clone, Debug)]
pub struct CachesSettings {
    /// Whether only the first row is measured.
    pub one_row: bool,
    /// The largest size; by default four times the last-level cache.
    pub largest: Option<Bytes>,
}

impl Default for CachesSettings {
    fn default() -> Self {
        Self { one_row: true, largest: None }
    }
}

impl Settings for CachesSettings {
    fn experiment(self, session: &Session, scope: &Scope) -> NewExperiment {
        // Each row sweeps its own memory, or the nearest.
        let scope = Scope {
            wanted: LayoutRequest { nodes: None, ..scope.wanted.clone() },
            ..scope.clone()
        };
        let mut layout =
            Layout::new(&session.topology, &scope.wanted, &ProbeSpec::chase(PageSize::Huge))?;
        if self.one_row {
            layout.rows.truncate(1);
        }
        let setup = setup(&self, &scope, &session.topology, &layout)?;
        let claims = layout.rows.iter().map(|row| claims(&session.topology, row)).collect();
        let layout = by_size(layout, &setup);
        let options = scope.options(setup.sizes.last().copied().unwrap_or(Bytes(0)), 0);
        let run = ExperimentRun::new(Instrument::Caches, options, session.seed);
        Ok(Box::new(CachesExperiment { layout, setup, claims, run }))
    }
}

/// The smallest default for the largest size, unless memory is short.
const MIN_LARGEST: Bytes = Bytes::mib(64);
/// This multiple of the last cache is certainly memory.
const TIMES_LAST_LEVEL: u64 = 4;
/// The default largest size is at most this fraction (1/4) of a node's free memory: two page sizes
/// need two buffers of up to a third more.
const SHARE: u64 = 4;
const PER_OCTAVE: u32 = 4;
/// Quick sweeps have half as many beyond this size, which exceeds every second-level cache.
const QUICK_AND_FINE: Bytes = Bytes::mib(8);
/// A sweep that ends below this size finds no cache.
const SMALLEST_LARGEST: Bytes = Bytes::kib(64);

/// Caches of one machine.
struct CachesExperiment {
    /// A column for each size.
    layout: Layout,
    setup: CacheSetup,
    claims: Vec<Vec<(String, u64)>>,
    run: ExperimentRun,
}

impl CachesExperiment {
    fn visit(
        &mut self,
        turn: &mut Turn<'_>,
        limits: PlanLimits,
        seed: u64,
    ) -> Result<(), MeasureError> {
        let plan = Plan { places: self.setup.places(), controls: vec![], limits, seed };
        self.run.visit(turn, &plan, Work::Caches(self.setup.clone()), StartSpacing::Spaced, "sizes")
    }

    fn first_limits(&self, effort: Effort) -> PlanLimits {
        effort.limits(self.run.limits, 6, 2)
    }

    /// A visit chases through its size once before timing, mostly with many loads in flight; small
    /// sizes take no time compared with large ones.
    fn cost(&self) -> VisitCost {
        const WARMED_BYTES_PER_S: f64 = 2.5e9;
        let kinds = self.setup.pages.len() as u64;
        let bytes: u64 = self.setup.sizes.iter().map(|bytes| bytes.0).sum();
        let mean = bytes as f64 / self.setup.sizes.len().max(1) as f64;
        VisitCost {
            process: placing(self.setup.footprint().0 * kinds * self.setup.memories.len() as u64),
            visit: Duration::from_millis(3) + Duration::from_secs_f64(mean / WARMED_BYTES_PER_S),
        }
    }
}

impl Experiment for CachesExperiment {
    fn run(&self) -> &ExperimentRun {
        &self.run
    }

    fn expected(&self, effort: Effort) -> Duration {
        self.cost().of(self.first_limits(effort), self.setup.places().len())
    }

    fn begin(&mut self, turn: &mut Turn<'_>, effort: Effort) -> Result<(), MeasureError> {
        self.visit(turn, self.first_limits(effort), self.run.seed)
    }

    fn next_turn_cost(&self) -> Option<Duration> {
        self.run.next_process(self.cost(), self.setup.places().len())
    }

    fn refine(&mut self, turn: &mut Turn<'_>) -> Result<(), MeasureError> {
        let (limits, seed) = self.run.refine();
        self.visit(turn, limits, seed)
    }

    fn record_into<'e>(&'e self, document: &mut Instruments<'e>) {
        let (layout, outcome, setup) = (&self.layout, &self.run.outcome, &self.setup);
        if self.run.begun {
            document.add(Instrument::Caches, [outcome]).caches =
                Some(Document::new(layout, outcome, setup, &self.claims));
        }
    }
}

fn setup(
    settings: &CachesSettings,
    scope: &Scope,
    topology: &Topology,
    layout: &Layout,
) -> Result<CacheSetup, SettingsError> {
    let mut memories: Vec<MemoryJob> = Vec::new();
    let mut rows = Vec::new();
    for row in &layout.rows {
        let own = &layout.columns[layout.nearest_column(topology, row.node).unwrap_or(0)].memory;
        let memory =
            memories.iter().position(|known| known.node == own.node).unwrap_or(memories.len());
        if memory == memories.len() {
            memories.push(own.clone());
        }
        rows.push(SweepRow { cpus: row.candidates.clone(), memory });
    }
    let free = memories.iter().filter_map(|memory| memory.free).min();
    // Sizes cannot be added later, and a denser set takes proportionally longer.
    let density = if scope.budget.is_some() { Mode::Quick } else { scope.mode };
    let largest = match settings.largest {
        Some(largest) => affordable(largest, density, free)?,
        None => usual_largest(topology, layout, free),
    };
    let pages = vec![PageSize::Huge, PageSize::Base];
    let sizes = sizes_of(largest, density);
    Ok(CacheSetup { rows, memories, sizes, pages, spinners: layout.spinners.clone() })
}

/// Sizes are dense enough to locate a capacity within 10 %, up to the last cache. Memory's plateau
/// needs fewer, and the largest sizes take most of the time.
fn sizes_of(largest: Bytes, mode: Mode) -> Vec<Bytes> {
    let all = sizes(largest, PER_OCTAVE);
    match mode {
        Mode::Quick => thinned(all, QUICK_AND_FINE),
        Mode::Default => thinned(all, Bytes(largest.0 / 2)),
        Mode::Thorough => all,
    }
}

fn usual_largest(topology: &Topology, layout: &Layout, free: Option<Bytes>) -> Bytes {
    let sizes =
        layout.rows.iter().flat_map(|row| caches(topology, row)).filter_map(|cache| cache.size);
    let last = sizes.max().unwrap_or(Bytes(0));
    let wanted = Bytes(last.0.saturating_mul(TIMES_LAST_LEVEL)).max(MIN_LARGEST);
    free.map_or(wanted, |free| wanted.min(Bytes(free.0 / SHARE)))
}

/// The requested size, unless memory is too small for two buffers and a reserve of a sixteenth.
fn affordable(largest: Bytes, mode: Mode, free: Option<Bytes>) -> Result<Bytes, SettingsError> {
    let taken = Bytes(footprint(&sizes_of(largest, mode)).0.saturating_mul(2));
    match free {
        Some(free) if taken.0 > free.0 - free.0 / 16 => {
            Err(SettingsError::LargestTooLarge { largest, taken, free })
        }
        _ if largest < SMALLEST_LARGEST => {
            Err(SettingsError::LargestTooSmall { largest, least: SMALLEST_LARGEST })
        }
        _ => Ok(largest),
    }
}

/// The data caches of a row's first CPU, nearest first.
fn caches<'t>(topology: &'t Topology, row: &LayoutRow) -> Vec<&'t Cache> {
    let first: Option<CpuId> = row.cpus.first();
    let has = |cache: &&Cache| {
        cache.kind != CacheKind::Instruction && first.is_some_and(|cpu| cache.cpus.contains(cpu))
    };
    let mut caches: Vec<&Cache> = topology.caches.iter().filter(has).collect();
    caches.sort_by_key(|cache| cache.level);
    caches
}

/// Their names and sizes in sysfs.
fn claims(topology: &Topology, row: &LayoutRow) -> Vec<(String, u64)> {
    let name = |cache: &Cache| match cache.kind {
        CacheKind::Data => format!("L{}d", cache.level),
        _ => format!("L{}", cache.level),
    };
    let claim = |cache: &Cache| Some((name(cache), cache.size.filter(|size| size.0 > 0)?.0));
    caches(topology, row).into_iter().filter_map(claim).collect()
}

/// The same rows, with a column for each size.
fn by_size(layout: Layout, setup: &CacheSetup) -> Layout {
    let node = if setup.memories.len() == 1 { setup.memories[0].node } else { None };
    let column = |bytes: &Bytes| LayoutColumn {
        label: bytes.to_string(),
        probe: ProbeSpec::chase(PageSize::Huge),
        pages: 1,
        memory: MemoryJob { node, ..MemoryJob::default() },
    };
    Layout {
        columns: setup.sizes.iter().map(column).collect(),
        control_columns: vec![],
        controls: vec![],
        ..layout
    }
}

#[cfg(test)]
mod tests {
    use nearfar_probe::RowKind;

    use super::*;
    use crate::measure::tests::three_nodes;

    #[test]
    fn a_row_without_memory_sweeps_the_nearest() {
        let (topology, probe) = (three_nodes(), ProbeSpec::chase(PageSize::Huge));
        let wanted = LayoutRequest { rows: RowKind::Node, ..LayoutRequest::default() };
        let layout = Layout::new(&topology, &wanted, &probe).unwrap();
        let scope = Scope { mode: Mode::Quick, wanted, ..Scope::default() };
        let settings = CachesSettings { one_row: false, largest: Some(Bytes::kib(64)) };
        let setup = setup(&settings, &scope, &topology, &layout).unwrap();
        assert_eq!(
            setup
                .rows
                .iter()
                .map(|row| setup.memories[row.memory].node.map(|node| node.0))
                .collect::<Vec<_>>(),
            [Some(0), Some(1), Some(1)]
        );
    }

    #[test]
    fn sizes_beyond_memory_and_below_any_cache_are_refused() {
        let message =
            |largest, free| affordable(largest, Mode::Default, Some(free)).unwrap_err().to_string();
        let large = message(Bytes::gib(64), Bytes::gib(9));
        assert!(
            large.starts_with("--largest 64 GiB takes 1") && large.contains("only 9 GiB available"),
            "{large}"
        );
        assert_eq!(
            message(Bytes::kib(4), Bytes::gib(9)),
            "--largest 4 KiB is too small: at least 64 KiB"
        );
        assert!(message(Bytes(u64::MAX), Bytes::gib(9)).contains("use less"));
        assert_eq!(
            affordable(Bytes::gib(1), Mode::Default, Some(Bytes::gib(4))).unwrap(),
            Bytes::gib(1)
        );
    }
}
