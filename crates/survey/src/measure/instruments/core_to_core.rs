//! Core to core: explores the structure, then measures every exchange and home between
//! representatives.

use std::time::Duration;

use nearfar_infer::core_to_core::{
    ClaimedCpu, CpuStructure, Explorer, ExplorerLimits, MAX_CPUS, TopologyClaim,
};
use nearfar_machine::Topology;
use nearfar_model::{Bytes, CellIndex, CpuId, CpuSet, Instrument};
use nearfar_probe::core_to_core::{Exchange, Home, PairSetup, PairTreatment};
use nearfar_probe::{
    Layout, LayoutRequest, MemoryJob, PageSize, Plan, PlanLimits, PlanOutcome, ProbeSpec, RowKind,
    Work,
};

use crate::measure::cost::VisitCost;
use crate::measure::{
    Effort, Experiment, ExperimentRun, MeasureError, NewExperiment, RunSummary, Scope, Session,
    Settings, SettingsError, StartSpacing, Turn,
};
use crate::{CoreToCore as Document, Instruments, Options};

/// Settings of core-to-core.
#[derive(Clone, Debug)]
pub struct CoreToCoreSettings {
    /// Every pair, not only as many as the structure needs.
    pub all_pairs: bool,
    /// Whether representatives are measured with every exchange and home.
    pub factors: bool,
}

impl Default for CoreToCoreSettings {
    fn default() -> Self {
        Self { all_pairs: false, factors: true }
    }
}

impl Settings for CoreToCoreSettings {
    fn experiment(self, session: &Session, scope: &Scope) -> NewExperiment {
        let wanted =
            LayoutRequest { rows: RowKind::Group, cpus: scope.wanted.cpus.clone(), nodes: None };
        let layout = Layout::new(&session.topology, &wanted, &ProbeSpec::chase(PageSize::Huge))?;
        let cpus: Vec<CpuId> = layout
            .rows
            .iter()
            .fold(CpuSet::new(), |all, row| all.union(&row.cpus))
            .iter()
            .collect();
        check(cpus.len())?;
        let setup =
            setup(&session.topology, session.environment.hypervisor.is_some(), &layout, cpus);
        let options = Scope { wanted, ..scope.clone() }.options(Bytes(64), 0);
        let options = Options { rows: "cpu".to_owned(), ..options };
        Ok(Box::new(CoreToCoreExperiment {
            claim: claim(&session.topology, &setup.cpus),
            factor_cells: if self.factors { factor_cells(&setup, &layout) } else { vec![] },
            all_pairs: self.all_pairs,
            setup,
            found: None,
            factors: ExperimentRun::new(Instrument::CoreToCore, options, session.seed),
            all: PlanOutcome::default(),
        }))
    }
}

/// Representatives that are measured with every treatment: at most one per node.
const MAX_REPRESENTATIVES: usize = 8;
/// The time to explore a pair: a few samples, perhaps repeated.
const EXPLORED: Duration = Duration::from_millis(60);
const COST: VisitCost =
    VisitCost { process: Duration::from_millis(200), visit: Duration::from_millis(15) };

/// Pairs of CPUs of one machine.
struct CoreToCoreExperiment {
    all_pairs: bool,
    setup: PairSetup,
    claim: TopologyClaim,
    /// Cells of the representatives.
    factor_cells: Vec<CellIndex>,
    found: Option<CpuStructure>,
    factors: ExperimentRun,
    /// The exploration's result, then the factors'.
    all: PlanOutcome,
}

impl CoreToCoreExperiment {
    fn visit(
        &mut self,
        turn: &mut Turn<'_>,
        limits: PlanLimits,
        seed: u64,
    ) -> Result<(), MeasureError> {
        let plan = Plan { places: self.factor_cells.clone(), controls: vec![], limits, seed };
        let outcome = turn.run(
            &plan,
            Work::CoreToCore(self.setup.clone()),
            StartSpacing::Spaced,
            "exchanges",
        )?;
        self.all.append(outcome.clone());
        self.factors.add(&plan.places, outcome);
        Ok(())
    }

    /// The approximate number of pairs in an exploration: all of a small machine, few of a large
    /// one.
    fn pairs(&self) -> usize {
        let cpus = self.setup.cpus.len();
        let (all, limits) = (cpus * cpus.saturating_sub(1) / 2, ExplorerLimits::default());
        if self.all_pairs || all <= limits.free_pairs {
            all
        } else {
            limits.free_pairs.max((all as f64 * limits.share_of_pairs) as usize)
        }
    }
}

impl Experiment for CoreToCoreExperiment {
    fn run(&self) -> &ExperimentRun {
        &self.factors
    }

    /// The exploration has no coarser form: its minimum is all of it.
    fn expected(&self, effort: Effort) -> Duration {
        let pairs = u32::try_from(self.pairs()).unwrap_or(u32::MAX);
        let exploring = EXPLORED.saturating_mul(pairs) + COST.process * 4;
        if self.factor_cells.is_empty() {
            return exploring;
        }
        exploring + COST.of(effort.limits(self.factors.limits, 9, 3), self.factor_cells.len())
    }

    fn begin(&mut self, turn: &mut Turn<'_>, effort: Effort) -> Result<(), MeasureError> {
        let ExperimentRun { seed, limits, .. } = self.factors;
        let pairs = ExplorerLimits { all_pairs: self.all_pairs, ..ExplorerLimits::default() };
        let explorer = Explorer::new(self.claim.clone(), pairs, seed);
        let explored = turn.explore(explorer, &self.setup, seed)?;
        (self.all, self.found) = (explored.outcome, Some(explored.found));
        if self.factor_cells.is_empty() {
            return Ok(());
        }
        self.visit(turn, effort.limits(limits, 9, 3), seed.wrapping_add(1))
    }

    fn next_turn_cost(&self) -> Option<Duration> {
        self.factors.next_process(COST, self.factor_cells.len()).filter(|_| self.factors.begun)
    }

    fn refine(&mut self, turn: &mut Turn<'_>) -> Result<(), MeasureError> {
        let (limits, seed) = self.factors.refine();
        self.visit(turn, limits, seed)
    }

    fn worst_error(&self) -> Option<f64> {
        if self.factors.begun {
            return self.factors.worst_error();
        }
        // An exploration repeats uncertain pairs itself.
        self.found.is_some().then_some(0.0)
    }

    fn done(&self) -> RunSummary {
        RunSummary::from_outcomes([&self.all])
    }

    fn record_into<'e>(&'e self, document: &mut Instruments<'e>) {
        let (setup, outcome) = (&self.setup, &self.all);
        if let Some(found) = &self.found {
            document.add(Instrument::CoreToCore, [outcome]).core_to_core =
                Some(Document::new(setup, outcome, found));
        }
    }
}

fn setup(topology: &Topology, is_guest: bool, layout: &Layout, cpus: Vec<CpuId>) -> PairSetup {
    // Free memory does not matter: a page is small.
    let lines: Vec<MemoryJob> = layout
        .columns
        .iter()
        .map(|column| MemoryJob { free: None, ..column.memory.clone() })
        .collect();
    // CPUs without local memory use the nearest.
    let own = |cpu: CpuId| topology.cpu(cpu).and_then(|cpu| cpu.node);
    let node_of = |cpu: &CpuId| layout.nearest_column(topology, own(*cpu)).unwrap_or(0);
    let node_of: Vec<usize> = cpus.iter().map(node_of).collect();
    let nodes = lines.iter().filter(|lines| lines.why_not.is_none()).count();
    let is_on_several_nodes = node_of.iter().any(|node| *node != node_of[0]);
    PairSetup { cpus, node_of, lines, treatments: treatments(is_on_several_nodes, nodes), is_guest }
}

/// Rejects a single CPU, and more than an explorer supports; touches nothing.
fn check(cpus: usize) -> Result<(), SettingsError> {
    match cpus {
        0 | 1 => Err(SettingsError::OneCpu),
        2..=MAX_CPUS => Ok(()),
        _ => Err(SettingsError::TooManyCpus { cpus, most: MAX_CPUS }),
    }
}

/// The first treatment is that of the exploration. If all CPUs are on one node, the reader's home
/// equals the writer's.
fn treatments(is_on_several_nodes: bool, nodes: usize) -> Vec<PairTreatment> {
    let homes: &[Home] = match (is_on_several_nodes, nodes) {
        (false, 0 | 1) => &[Home::Any],
        (false, _) => &[Home::Writer, Home::Third],
        (true, 0..=2) => &[Home::Writer, Home::Reader],
        (true, _) => &[Home::Writer, Home::Reader, Home::Third],
    };
    let exchanges = [Exchange::Handoff, Exchange::Modified, Exchange::Clean];
    exchanges
        .into_iter()
        .flat_map(|exchange| homes.iter().map(move |&home| PairTreatment { exchange, home }))
        .collect()
}

/// The structure that a machine reports for these CPUs.
pub fn claim(topology: &Topology, cpus: &[CpuId]) -> TopologyClaim {
    let groups = topology.last_level_groups();
    let cores: Vec<CpuSet> = topology.cores().iter().map(|core| core.cpus.clone()).collect();
    let packages: Vec<CpuSet> =
        topology.packages().iter().map(|package| package.cpus.clone()).collect();
    let index = |sets: &[CpuSet], cpu: CpuId| -> Option<u32> {
        sets.iter().position(|set| set.contains(cpu)).and_then(|index| u32::try_from(index).ok())
    };
    let claimed = |&cpu: &CpuId| ClaimedCpu {
        core: index(&cores, cpu),
        cache_group: index(&groups, cpu),
        package: index(&packages, cpu),
    };
    TopologyClaim { cpus: cpus.iter().map(claimed).collect() }
}

/// Pairs of one CPU from each group, both ways, and one pair within each group, with every possible
/// treatment.
fn factor_cells(setup: &PairSetup, layout: &Layout) -> Vec<CellIndex> {
    let index = |cpu: CpuId| setup.cpus.iter().position(|known| *known == cpu);
    let step = layout.rows.len().div_ceil(MAX_REPRESENTATIVES).max(1);
    let chosen: Vec<&CpuSet> = layout.rows.iter().step_by(step).map(|row| &row.cpus).collect();
    let leaders: Vec<usize> = chosen.iter().filter_map(|cpus| index(cpus.first()?)).collect();
    let mut pairs: Vec<(usize, usize)> = leaders
        .iter()
        .flat_map(|&a| leaders.iter().map(move |&b| (a, b)))
        .filter(|(a, b)| a != b)
        .collect();
    pairs.extend(
        chosen
            .iter()
            .filter_map(|cpus| Some((index(cpus.first()?)?, index(cpus.last()?)?)))
            .filter(|(a, b)| a != b),
    );
    let has_home = |(a, b): (usize, usize), home| match home {
        // Within a node the reader's and the writer's home are the same.
        Home::Reader => setup.node_of[a] != setup.node_of[b],
        home => setup.home(a, b, home, 0).is_some(),
    };
    let of_pair = |pair: (usize, usize)| {
        let treatments = setup.treatments.iter().enumerate();
        let homes = treatments.filter(move |(_, treatment)| has_home(pair, treatment.home));
        homes.map(move |(at, _)| CellIndex::new(pair.0, pair.1).with_treatment(at))
    };
    pairs.into_iter().flat_map(of_pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::tests::three_nodes;

    #[test]
    fn lines_of_memoryless_cpus_use_the_nearest_node() {
        let topology = three_nodes();
        let wanted = LayoutRequest { rows: RowKind::Group, ..LayoutRequest::default() };
        let layout = Layout::new(&topology, &wanted, &ProbeSpec::chase(PageSize::Huge)).unwrap();
        let setup = setup(&topology, false, &layout, (0..3).map(CpuId).collect());
        assert_eq!(setup.node_of, [0, 1, 1]);
    }

    fn homes(is_on_several_nodes: bool, nodes: usize) -> Vec<Home> {
        let all = treatments(is_on_several_nodes, nodes).into_iter();
        all.filter(|treatment| treatment.exchange == Exchange::Clean)
            .map(|treatment| treatment.home)
            .collect()
    }

    #[test]
    fn homes_depend_on_the_number_of_nodes() {
        assert_eq!(homes(false, 1), [Home::Any]);
        // An expander beside one socket: its memory is neither CPU's.
        assert_eq!(homes(false, 2), [Home::Writer, Home::Third]);
        assert_eq!(homes(true, 2), [Home::Writer, Home::Reader]);
        assert_eq!(homes(true, 3), [Home::Writer, Home::Reader, Home::Third]);
    }

    #[test]
    fn too_few_and_too_many_cpus_are_refused() {
        assert!(check(1).unwrap_err().to_string().starts_with("core-to-core needs two CPUs"));
        assert!(check(2).is_ok());
        assert!(check(MAX_CPUS).is_ok());
        let refused = check(MAX_CPUS + 1).unwrap_err().to_string();
        assert_eq!(refused, "4097 CPUs exceed the limit of 4096: select some with --cpus");
    }
}
