//! Core to core from request to survey: explore who is near whom, then ask representatives for every exchange and home.

use std::time::Duration;

use nearfar_infer::core_to_core::{Claim, ClaimedCpu, Explorer, Limits};
use nearfar_machine::Topology;
use nearfar_model::{CpuId, CpuSet};
use nearfar_probe::core_to_core::{Exchange, Exploration, Home, LinesJob, PairSetup, Treatment};
use nearfar_probe::{Layout, LayoutColumn, PageSize, Plan, PlanLimits, ProbeSpec, RowKind, Wanted, Work};
use nearfar_survey::{CoreToCoreRun, Instruments, Mode, Options, Survey};

use super::Session;

/// What is to be measured.
pub(crate) struct PairRequest {
    pub(crate) mode: Mode,
    pub(crate) cpus: Option<CpuSet>,
    pub(crate) all_pairs: bool,
    /// Whether representatives are asked for every exchange and home.
    pub(crate) factors: bool,
    pub(crate) seed: Option<u64>,
}

/// Representatives that are asked for everything: one of each node, as far as there are not more.
const MOST_REPRESENTATIVES: usize = 8;

/// Measures.
pub(crate) fn measure_core_to_core(request: &PairRequest) -> anyhow::Result<Survey> {
    let session = Session::begin(request.seed)?;
    let wanted = Wanted { rows: RowKind::Group, cpus: request.cpus.clone(), nodes: None };
    let layout = Layout::new(&session.topology, &wanted, &ProbeSpec::chase(PageSize::Huge))?;
    let cpus: Vec<CpuId> = layout.rows.iter().fold(CpuSet::new(), |all, row| all.union(&row.cpus)).iter().collect();
    let setup = setup(&session, &layout, cpus);
    let limits = Limits { all_pairs: request.all_pairs, ..Limits::default() };
    let explorer = Explorer::new(claim(&session.topology, &setup.cpus), limits, session.seed);
    let Exploration { mut outcome, found } = session.explore(&setup, explorer)?;
    let cells = factor_cells(&setup, &layout);
    if request.factors && !cells.is_empty() {
        let columns = setup.cpus.len() * setup.treatments.len();
        let plan = Plan {
            rows: setup.cpus.len(),
            columns,
            cells,
            controls: vec![],
            limits: plan_limits(request.mode),
            seed: session.seed.wrapping_add(1),
        };
        outcome = outcome.followed_by(session.spaced(&plan, Work::CoreToCore(setup.clone()), "exchanges")?);
    }
    session.document(
        Instruments {
            core_to_core: Some(CoreToCoreRun { setup: &setup, outcome: &outcome, found: &found }),
            ..Instruments::default()
        },
        nearfar_infer::THRESHOLD,
        session.provenance(&outcome, options(request)),
    )
}

fn setup(session: &Session, layout: &Layout, cpus: Vec<CpuId>) -> PairSetup {
    let lines: Vec<LinesJob> = layout.columns.iter().map(lines).collect();
    let node_of = |cpu: &CpuId| {
        let own = session.topology.cpu(*cpu).and_then(|cpu| cpu.node);
        layout.columns.iter().position(|column| own.is_some() && column.node == own && column.why_not.is_none())
    };
    // CPUs without memory of their own take the first node that has some.
    let first = lines.iter().position(|lines| lines.why_not.is_none()).unwrap_or(0);
    let node_of: Vec<usize> = cpus.iter().map(|cpu| node_of(cpu).unwrap_or(first)).collect();
    let nodes = lines.iter().filter(|lines| lines.why_not.is_none()).count();
    let is_spread = node_of.iter().any(|node| *node != node_of[0]);
    PairSetup {
        cpus,
        node_of,
        lines,
        treatments: treatments(is_spread, nodes),
        is_guest: session.environment.hypervisor.is_some(),
    }
}

fn lines(column: &LayoutColumn) -> LinesJob {
    LinesJob { node: column.node, touch_from: column.touch_from.clone(), why_not: column.why_not.clone() }
}

/// The first is what pairs are explored with.
fn treatments(is_spread: bool, nodes: usize) -> Vec<Treatment> {
    let homes: &[Home] = match (is_spread, nodes) {
        (false, 0 | 1) => &[Home::Any],
        (_, 0..=2) => &[Home::Writer, Home::Reader],
        _ => &[Home::Writer, Home::Reader, Home::Third],
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
fn factor_cells(setup: &PairSetup, layout: &Layout) -> Vec<(usize, usize)> {
    let index = |cpu: CpuId| setup.cpus.iter().position(|known| *known == cpu);
    let step = layout.rows.len().div_ceil(MOST_REPRESENTATIVES).max(1);
    let chosen: Vec<&CpuSet> = layout.rows.iter().step_by(step).map(|row| &row.cpus).collect();
    let leaders: Vec<usize> = chosen.iter().filter_map(|cpus| index(cpus.first()?)).collect();
    let mut pairs: Vec<(usize, usize)> =
        leaders.iter().flat_map(|&a| leaders.iter().map(move |&b| (a, b))).filter(|(a, b)| a != b).collect();
    pairs.extend(
        chosen.iter().filter_map(|cpus| Some((index(cpus.first()?)?, index(cpus.last()?)?))).filter(|(a, b)| a != b),
    );
    let count = setup.treatments.len();
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
                .map(move |(at, _)| (pair.0, pair.1 * count + at))
        })
        .collect()
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
