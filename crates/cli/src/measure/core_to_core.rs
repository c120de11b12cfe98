//! Core to core from request to survey: explore who is near whom, then ask representatives for every exchange and home.

use std::time::Duration;

use nearfar_infer::core_to_core::{Claim, ClaimedCpu, Explorer, Found, Limits, MAX_CPUS};
use nearfar_machine::Topology;
use nearfar_model::{CpuId, CpuSet, Place};
use nearfar_probe::budget::Extent;
use nearfar_probe::core_to_core::{Exchange, Home, LinesJob, PairSetup, Treatment};
use nearfar_probe::{Layout, LayoutColumn, Outcome, PageSize, Plan, PlanLimits, ProbeSpec, RowKind, Wanted, Work};
use nearfar_survey::{CoreToCoreRun, Instruments, Mode, Options, Survey};

use super::Session;
use super::done::Done;
use super::instrument::{Cost, Instrument, least, most_turns, one_process, seed_of_turn};
use super::sharing::alone;
use crate::exit::WrongUsage;

/// What is to be measured.
pub(crate) struct PairRequest {
    pub(crate) mode: Mode,
    pub(crate) cpus: Option<CpuSet>,
    pub(crate) all_pairs: bool,
    /// Whether representatives are asked for every exchange and home.
    pub(crate) factors: bool,
    pub(crate) budget: Option<Duration>,
    pub(crate) seed: Option<u64>,
}

/// Representatives that are asked for everything: one of each node, as far as there are not more.
const MOST_REPRESENTATIVES: usize = 8;
/// A pair that is explored: a few samples, perhaps again.
const EXPLORED: Duration = Duration::from_millis(60);
const COST: Cost = Cost { process: Duration::from_millis(200), visit: Duration::from_millis(15) };

/// Measures.
pub(crate) fn measure_core_to_core(request: PairRequest) -> anyhow::Result<Survey> {
    let session = Session::begin(request.seed)?;
    let budget = request.budget;
    let instrument = Pairs::prepare(&session, request)?;
    let options = options(&instrument.request);
    alone(&session, instrument, budget, options)
}

/// The instrument.
pub(super) struct Pairs {
    request: PairRequest,
    setup: PairSetup,
    claim: Claim,
    /// Cells of representatives that are asked for everything.
    factor_cells: Vec<Place>,
    found: Option<Found>,
    factors: Option<Outcome>,
    /// Of the exploration, then of the factors.
    outcome: Outcome,
    turns: u32,
}

impl Pairs {
    /// Lays out what was asked for.
    pub(super) fn prepare(session: &Session, request: PairRequest) -> anyhow::Result<Self> {
        let wanted = Wanted { rows: RowKind::Group, cpus: request.cpus.clone(), nodes: None };
        let layout = Layout::new(&session.topology, &wanted, &ProbeSpec::chase(PageSize::Huge))?;
        let cpus: Vec<CpuId> = layout.rows.iter().fold(CpuSet::new(), |all, row| all.union(&row.cpus)).iter().collect();
        check(cpus.len())?;
        let setup = setup(&session.topology, session.environment.hypervisor.is_some(), &layout, cpus);
        let claim = claim(&session.topology, &setup.cpus);
        let factor_cells = if request.factors { factor_cells(&setup, &layout) } else { vec![] };
        let outcome = Outcome::default();
        Ok(Self { request, setup, claim, factor_cells, found: None, factors: None, outcome, turns: 0 })
    }

    /// Asks representatives for everything.
    fn visit(&mut self, session: &Session, limits: PlanLimits, seed: u64) -> anyhow::Result<()> {
        let plan = Plan { places: self.factor_cells.clone(), controls: vec![], limits, seed };
        let heard = session.spaced(&plan, Work::CoreToCore(self.setup.clone()), "exchanges")?;
        self.outcome.append(heard.clone());
        self.factors.get_or_insert_default().append(heard);
        Ok(())
    }

    /// How many pairs an exploration asks for, roughly: all of a small machine, few of a large one.
    fn pairs(&self) -> usize {
        let cpus = self.setup.cpus.len();
        let (all, limits) = (cpus * cpus.saturating_sub(1) / 2, Limits::default());
        match self.request.all_pairs || all <= limits.free_pairs {
            true => all,
            false => limits.free_pairs.max((all as f64 * limits.share_of_pairs) as usize),
        }
    }
}

impl Instrument for Pairs {
    fn name(&self) -> &'static str {
        "core-to-core"
    }

    /// The exploration has no coarser form: its least is all of it.
    fn expected(&self, extent: Extent) -> Duration {
        let exploring = EXPLORED.saturating_mul(u32::try_from(self.pairs()).unwrap_or(u32::MAX)) + COST.process * 4;
        let factors = match self.factor_cells.is_empty() {
            true => Duration::ZERO,
            false => COST.of(first_limits(self.request.mode, extent), self.factor_cells.len()),
        };
        exploring + factors
    }

    fn begin(&mut self, session: &Session, extent: Extent) -> anyhow::Result<()> {
        let limits = Limits { all_pairs: self.request.all_pairs, ..Limits::default() };
        let explorer = Explorer::new(self.claim.clone(), limits, session.seed);
        let explored = session.explore(&self.setup, explorer)?;
        (self.outcome, self.found) = (explored.outcome, Some(explored.found));
        match self.factor_cells.is_empty() {
            true => Ok(()),
            false => self.visit(session, first_limits(self.request.mode, extent), session.seed.wrapping_add(1)),
        }
    }

    fn aim(&self) -> f64 {
        plan_limits(self.request.mode).standard_error
    }

    fn worst(&self, session: &Session) -> Option<f64> {
        match &self.factors {
            Some(factors) => factors.worst_standard_error(&self.factor_cells, session.seed),
            // An exploration measures again what it doubts, by itself.
            None => self.found.is_some().then_some(0.0),
        }
    }

    fn further(&self) -> Option<Duration> {
        let limits = plan_limits(self.request.mode);
        (self.factors.is_some() && self.turns < most_turns(limits))
            .then(|| COST.of(one_process(limits), self.factor_cells.len()))
    }

    fn go_on(&mut self, session: &Session) -> anyhow::Result<()> {
        self.turns += 1;
        let limits = one_process(plan_limits(self.request.mode));
        self.visit(session, limits, seed_of_turn(session.seed, self.turns))
    }

    fn done(&self) -> Done {
        Done::of([&self.outcome])
    }

    fn tell<'i>(&'i self, document: &mut Instruments<'i>) {
        let (setup, outcome) = (&self.setup, &self.outcome);
        document.core_to_core = self.found.as_ref().map(|found| CoreToCoreRun { setup, outcome, found });
    }
}

fn setup(topology: &Topology, is_guest: bool, layout: &Layout, cpus: Vec<CpuId>) -> PairSetup {
    let lines: Vec<LinesJob> = layout.columns.iter().map(lines).collect();
    // CPUs without memory of their own take what is nearest.
    let own = |cpu: CpuId| topology.cpu(cpu).and_then(|cpu| cpu.node);
    let node_of = |cpu: &CpuId| layout.nearest_column(topology, own(*cpu)).unwrap_or(0);
    let node_of: Vec<usize> = cpus.iter().map(node_of).collect();
    let nodes = lines.iter().filter(|lines| lines.why_not.is_none()).count();
    let is_spread = node_of.iter().any(|node| *node != node_of[0]);
    PairSetup { cpus, node_of, lines, treatments: treatments(is_spread, nodes), is_guest }
}

fn lines(column: &LayoutColumn) -> LinesJob {
    LinesJob { node: column.node, touch_from: column.touch_from.clone(), why_not: column.why_not.clone() }
}

/// One CPU, and more than an explorer takes, are refused before anything is touched.
fn check(cpus: usize) -> Result<(), WrongUsage> {
    match cpus {
        0 | 1 => Err(WrongUsage("core-to-core needs two CPUs: one has nobody to hand a line to".to_owned())),
        2..=MAX_CPUS => Ok(()),
        _ => Err(WrongUsage(format!("{cpus} CPUs are more than {MAX_CPUS}: name some of them by --cpus"))),
    }
}

/// The first is what pairs are explored with. Where all CPUs stand on one node, the reader's is the writer's.
fn treatments(is_spread: bool, nodes: usize) -> Vec<Treatment> {
    let homes: &[Home] = match (is_spread, nodes) {
        (false, 0 | 1) => &[Home::Any],
        (false, _) => &[Home::Writer, Home::Third],
        (true, 0..=2) => &[Home::Writer, Home::Reader],
        (true, _) => &[Home::Writer, Home::Reader, Home::Third],
    };
    let exchanges = [Exchange::Handoff, Exchange::Modified, Exchange::Clean];
    exchanges.into_iter().flat_map(|exchange| homes.iter().map(move |&home| Treatment { exchange, home })).collect()
}

/// What a machine says of these CPUs.
pub(crate) fn claim(topology: &Topology, cpus: &[CpuId]) -> Claim {
    let groups = topology.last_level_groups();
    let cores: Vec<CpuSet> = topology.cores().iter().map(|core| core.cpus.clone()).collect();
    let packages: Vec<CpuSet> = topology.packages().iter().map(|package| package.cpus.clone()).collect();
    let index = |sets: &[CpuSet], cpu: CpuId| -> Option<u32> {
        sets.iter().position(|set| set.contains(cpu)).and_then(|index| u32::try_from(index).ok())
    };
    let claimed = |&cpu: &CpuId| ClaimedCpu {
        core: index(&cores, cpu),
        cache_group: index(&groups, cpu),
        package: index(&packages, cpu),
    };
    Claim { cpus: cpus.iter().map(claimed).collect() }
}

/// A CPU of each group with every other's, both ways, and with one of its own; by every treatment but the one that was explored.
fn factor_cells(setup: &PairSetup, layout: &Layout) -> Vec<Place> {
    let index = |cpu: CpuId| setup.cpus.iter().position(|known| *known == cpu);
    let step = layout.rows.len().div_ceil(MOST_REPRESENTATIVES).max(1);
    let chosen: Vec<&CpuSet> = layout.rows.iter().step_by(step).map(|row| &row.cpus).collect();
    let leaders: Vec<usize> = chosen.iter().filter_map(|cpus| index(cpus.first()?)).collect();
    let mut pairs: Vec<(usize, usize)> =
        leaders.iter().flat_map(|&a| leaders.iter().map(move |&b| (a, b))).filter(|(a, b)| a != b).collect();
    pairs.extend(
        chosen.iter().filter_map(|cpus| Some((index(cpus.first()?)?, index(cpus.last()?)?))).filter(|(a, b)| a != b),
    );
    let has_home = |&(a, b): &(usize, usize), treatment: &Treatment| match treatment.home {
        Home::Writer | Home::Any => true,
        // Within a node reader's and writer's home are the same.
        Home::Reader => setup.node_of[a] != setup.node_of[b],
        Home::Third => {
            let nodes = setup.lines.iter().enumerate().filter(|(_, lines)| lines.why_not.is_none());
            nodes.filter(|(node, _)| *node != setup.node_of[a] && *node != setup.node_of[b]).count() > 0
        }
    };
    let treatments = || setup.treatments.iter().enumerate();
    pairs
        .iter()
        .flat_map(|pair| {
            treatments()
                .filter(|(_, treatment)| has_home(pair, treatment))
                .map(move |(at, _)| Place::new(pair.0, pair.1).with_treatment(at))
        })
        .collect()
}

fn first_limits(mode: Mode, extent: Extent) -> PlanLimits {
    match extent {
        Extent::Least => least(plan_limits(mode), 9, 3),
        Extent::Whole => plan_limits(mode),
    }
}

fn plan_limits(mode: Mode) -> PlanLimits {
    let (most_rounds, patience_s) = match mode {
        Mode::Quick => (15, 60),
        Mode::Default => (30, 300),
        Mode::Thorough => (90, 1800),
    };
    let deadline = Some(Duration::from_secs(patience_s));
    PlanLimits { first_rounds: 9, step_rounds: 3, most_rounds, deadline, ..mode.limits() }
}

fn options(request: &PairRequest) -> Options {
    Options {
        mode: request.mode,
        rows: "cpu".to_owned(),
        cpus: request.cpus.clone(),
        nodes: None,
        size_bytes: 64,
        accesses: 0,
    }
}

#[cfg(test)]
mod tests {
    use nearfar_machine::Source;

    use super::*;

    /// Two nodes with memory, and one without, which stands beside the second.
    fn topology() -> Topology {
        let nodes = [("0", "64", "10 20 20"), ("1", "64", "20 10 12"), ("2", "0", "20 12 10")];
        let of_node = |(id, mib, distance): (&str, &str, &str)| {
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
        Topology::read(&Source::from_files(fixed.into_iter().chain(nodes.into_iter().flat_map(of_node)))).unwrap()
    }

    #[test]
    fn lines_of_a_cpu_without_memory_are_at_home_on_the_nearest_node() {
        let topology = topology();
        let wanted = Wanted { rows: RowKind::Group, ..Wanted::default() };
        let layout = Layout::new(&topology, &wanted, &ProbeSpec::chase(PageSize::Huge)).unwrap();
        let setup = setup(&topology, false, &layout, (0..3).map(CpuId).collect());
        assert_eq!(setup.node_of, [0, 1, 1]);
    }

    fn homes(is_spread: bool, nodes: usize) -> Vec<Home> {
        let all = treatments(is_spread, nodes).into_iter();
        all.filter(|treatment| treatment.exchange == Exchange::Clean).map(|treatment| treatment.home).collect()
    }

    #[test]
    fn a_line_has_the_homes_that_the_nodes_let_it_have() {
        assert_eq!(homes(false, 1), [Home::Any]);
        // An expander beside one socket: its memory is neither CPU's.
        assert_eq!(homes(false, 2), [Home::Writer, Home::Third]);
        assert_eq!(homes(true, 2), [Home::Writer, Home::Reader]);
        assert_eq!(homes(true, 3), [Home::Writer, Home::Reader, Home::Third]);
    }

    #[test]
    fn one_cpu_and_more_than_an_explorer_takes_are_refused() {
        assert!(check(1).unwrap_err().to_string().starts_with("core-to-core needs two CPUs"));
        assert!(check(2).is_ok());
        assert!(check(MAX_CPUS).is_ok());
        let refused = check(MAX_CPUS + 1).unwrap_err().to_string();
        assert_eq!(refused, "4097 CPUs are more than 4096: name some of them by --cpus");
    }
}
