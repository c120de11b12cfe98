//! Interleaving from request to survey: every node alone, pairs and all of them, then a search for the best weights, then what is best
//! beside what is usual; and what a load costs there.

mod hunt;
#[cfg(test)]
mod tests;

use std::time::Duration;

use nearfar_infer::weight_search::WeightLimits;
use nearfar_machine::Topology;
use nearfar_model::{Bytes, CpuId, CpuSet};
use nearfar_probe::interleave::{InterleaveSetup, SpreadNode, Treatment};
use nearfar_probe::{
    Isa, Kernel, Layout, LayoutColumn, LayoutRow, Outcome, PageSize, Plan, PlanLimits, ProbeSpec, RowKind, Wanted, Work,
};
use nearfar_survey::{BandwidthRun, Instruments, InterleaveRun, Mode, Options, SpreadRun, Survey};

use super::Session;
use crate::exit::WrongUsage;
use hunt::{Hunt, Search};

/// What is to be measured.
pub(crate) struct InterleaveRequest {
    pub(crate) mode: Mode,
    pub(crate) wanted: Wanted,
    pub(crate) rows_name: String,
    pub(crate) kernels: Vec<Kernel>,
    /// Whether loads are measured, too.
    pub(crate) latency: bool,
    /// What the threads of a window sweep together, and what a chase goes through.
    pub(crate) size: Option<Bytes>,
    pub(crate) window: Duration,
    /// Loads of a chase's sample.
    pub(crate) loads: u64,
    pub(crate) largest_weight: u32,
    pub(crate) seed: Option<u64>,
}

/// By default memory takes at most this share of what a node has free, and never less than this.
const SHARE: u64 = 8;
const LEAST: Bytes = Bytes::mib(16);
/// Pairs of nodes are all measured up to so many nodes.
const MOST_FOR_PAIRS: usize = 8;

/// Measures.
pub(crate) fn measure_interleave(request: &InterleaveRequest) -> anyhow::Result<Survey> {
    let session = Session::begin(request.seed)?;
    let rows = if request.wanted.rows == RowKind::Auto { RowKind::Group } else { request.wanted.rows };
    let wanted = Wanted { rows, ..request.wanted.clone() };
    let layout = Layout::new(&session.topology, &wanted, &ProbeSpec::chase(PageSize::Huge))?;
    let nodes: Vec<SpreadNode> = layout.columns.iter().filter_map(spread_node).collect();
    let kernel_weights = kernel_weights(&session, &nodes);
    let mut run = InterleaveRun {
        nodes: nodes.iter().map(|node| node.node).collect(),
        kernel_weights: kernel_weights.clone(),
        bandwidth: None,
        latency: None,
        why: why_not(&nodes),
    };
    if run.why.is_some() {
        return finish(&session, request, run, &Outcome::default(), request.size.unwrap_or(Bytes(0)));
    }
    let rows = Rows::of(&layout, request.wanted.rows == RowKind::Auto);
    let setup = setup(request, &session.topology, &rows.layout, nodes)?;
    let carry_out =
        |plan: &Plan, setup: &InterleaveSetup, what: &str| session.at_once(plan, Work::Interleave(setup.clone()), what);
    let mut hunt = Hunt::new(&carry_out, session.seed, setup, request.mode);
    let best = search(&mut hunt, request, &rows, kernel_weights.as_deref())?;
    let (streams, streamed, visited) = hunt.finish();
    let latency = match request.latency {
        true => Some(chase(&session, request, &rows, &streams, &best)?),
        false => None,
    };
    let footprint = streams.footprint;
    run.bandwidth = Some(SpreadRun { layout: &rows.layout, outcome: &streamed, visited, setup: &streams });
    run.latency = latency.as_ref().map(|(setup, outcome, visited)| SpreadRun {
        layout: &rows.layout,
        outcome,
        visited: visited.clone(),
        setup,
    });
    finish(&session, request, run, &streamed, footprint)
}

fn finish(
    session: &Session,
    request: &InterleaveRequest,
    run: InterleaveRun<'_>,
    outcome: &Outcome,
    footprint: Bytes,
) -> anyhow::Result<Survey> {
    session.document(
        Instruments { interleave: Some(run), ..Instruments::default() },
        nearfar_infer::THRESHOLD,
        session.provenance(outcome, options(request, footprint)),
    )
}

/// The rows, and who of them streams and who loads.
struct Rows {
    layout: Layout,
    streaming: Vec<usize>,
    loading: Vec<usize>,
}

impl Rows {
    /// All CPUs together stream, and each group loads; where rows were asked for, each of them does both.
    fn of(layout: &Layout, together: bool) -> Self {
        let mut rows = layout.rows.clone();
        let (streaming, loading) = match (together, rows.len()) {
            (false, count) => ((0..count).collect(), (0..count).collect()),
            (true, count) => {
                let cpus = rows.iter().fold(CpuSet::new(), |all, row| all.union(&row.cpus));
                let all = LayoutRow { label: "all CPUs".to_owned(), node: None, candidates: cpus.clone(), cpus };
                if count == 1 {
                    rows = vec![all];
                    (vec![0], vec![0])
                } else {
                    rows.insert(0, all);
                    (vec![0], (1..=count).collect())
                }
            }
        };
        let spread = LayoutColumn {
            label: "spread".to_owned(),
            node: None,
            pages: 1,
            probe: ProbeSpec::chase(PageSize::Huge),
            touch_from: CpuSet::new(),
            free: None,
            why_not: None,
        };
        let layout =
            Layout { rows, columns: vec![spread], control_columns: vec![], controls: vec![], spinners: CpuSet::new() };
        Self { layout, streaming, loading }
    }
}

fn spread_node(column: &LayoutColumn) -> Option<SpreadNode> {
    let node = column.node.filter(|_| column.why_not.is_none())?;
    Some(SpreadNode { node, free: column.free })
}

/// Fewer than two nodes leave nothing to compare.
fn why_not(nodes: &[SpreadNode]) -> Option<String> {
    match nodes {
        [] => Some("the kernel knows no nodes: memory cannot be spread over them".to_owned()),
        [only] => {
            Some(format!("node {} is the only one with memory to measure: there is nothing to interleave", only.node))
        }
        _ => None,
    }
}

/// The kernel's weights of these nodes, where it has one of each.
fn kernel_weights(session: &Session, nodes: &[SpreadNode]) -> Option<Vec<u32>> {
    let all = session.interleave_weights()?;
    nodes.iter().map(|node| all.weights.get(&node.node).map(|&weight| u32::from(weight))).collect()
}

fn setup(
    request: &InterleaveRequest,
    topology: &Topology,
    layout: &Layout,
    nodes: Vec<SpreadNode>,
) -> Result<InterleaveSetup, WrongUsage> {
    let caches = topology.last_level_groups().len().max(1) as u64;
    let one = BandwidthRun::footprint(last_level(topology));
    let footprint = affordable(request.size, Bytes(one.0.saturating_mul(caches)), &nodes)?;
    Ok(InterleaveSetup {
        rows: layout.rows.iter().map(|row| row.cpus.iter().collect::<Vec<CpuId>>()).collect(),
        nodes,
        treatments: vec![],
        isa: Isa::best(),
        footprint,
        window: request.window,
        loads: request.loads,
    })
}

/// What was asked for, if every node has room for it, since each is measured alone, too; else the usual, as far as there is room.
fn affordable(wanted: Option<Bytes>, usual: Bytes, nodes: &[SpreadNode]) -> Result<Bytes, WrongUsage> {
    let tightest = nodes.iter().filter_map(|node| Some((node.free?, node.node))).min();
    match (wanted, tightest) {
        (Some(wanted), Some((free, node))) if wanted > free => {
            Err(WrongUsage(format!("--size {wanted} is more than node {node} has free, {free}: ask for less")))
        }
        (Some(wanted), _) => Ok(wanted),
        (None, tightest) => Ok(tightest.map_or(usual, |(free, _)| usual.min(Bytes(free.0 / SHARE)).max(LEAST))),
    }
}

/// The largest last-level cache.
fn last_level(topology: &Topology) -> Option<Bytes> {
    topology.caches.iter().filter_map(|cache| cache.size).max()
}

/// Every node alone, every pair, and all of them.
fn usual(nodes: usize) -> Vec<Vec<u32>> {
    let of = |used: &[usize]| -> Vec<u32> { (0..nodes).map(|node| u32::from(used.contains(&node))).collect() };
    let mut all: Vec<Vec<u32>> = (0..nodes).map(|node| of(&[node])).collect();
    if nodes <= MOST_FOR_PAIRS {
        all.extend((0..nodes).flat_map(|b| (0..b).map(move |a| [a, b])).map(|pair| of(&pair)));
    }
    all.push(vec![1; nodes]);
    all.dedup();
    all
}

/// Searches the best weights for each row and kernel; all that any of them found best.
fn search(
    hunt: &mut Hunt<'_>,
    request: &InterleaveRequest,
    rows: &Rows,
    kernel_weights: Option<&[u32]>,
) -> anyhow::Result<Vec<Vec<u32>>> {
    let nodes = hunt.nodes();
    let mut first = usual(nodes);
    first.extend(kernel_weights.map(<[u32]>::to_vec).filter(|weights| weights.iter().any(|&weight| weight > 1)));
    let kinds: Vec<(usize, Kernel)> =
        rows.streaming.iter().flat_map(|&row| request.kernels.iter().map(move |&kernel| (row, kernel))).collect();
    let treat = |weights: &Vec<u32>, kernel| Treatment { weights: weights.clone(), kernel: Some(kernel) };
    let all = |weights: &[Vec<u32>]| -> Vec<(usize, Treatment)> {
        kinds.iter().flat_map(|&(row, kernel)| weights.iter().map(move |one| (row, treat(one, kernel)))).collect()
    };
    let told = hunt.measure(&all(&first), "weights")?;
    let limits =
        WeightLimits { largest: request.largest_weight, measurements: first.len() + measurements(request.mode) };
    let mut searches: Vec<Search> =
        kinds.iter().map(|&(row, kernel)| Search::new(row, kernel, nodes, limits, &told)).collect();
    while !hunt.is_late() {
        let mut wanted: Vec<(usize, Treatment)> = searches.iter_mut().flat_map(Search::wanted).collect();
        wanted.sort_unstable();
        wanted.dedup();
        if wanted.is_empty() {
            break;
        }
        let told = hunt.measure(&wanted, "weights")?;
        searches.iter_mut().for_each(|search| search.hear(&told));
    }
    let mut last: Vec<(usize, Treatment)> =
        searches.iter().flat_map(|search| search.contenders(kernel_weights)).collect();
    last.sort_unstable();
    last.dedup();
    hunt.compare(&last)?;
    let mut best: Vec<Vec<u32>> = searches.iter().filter_map(Search::best).collect();
    best.extend(kernel_weights.map(<[u32]>::to_vec));
    Ok(best)
}

/// Measurements of a search beyond those that are always made.
fn measurements(mode: Mode) -> usize {
    match mode {
        Mode::Quick => 20,
        Mode::Default => 60,
        Mode::Thorough => WeightLimits::default().measurements,
    }
}

/// What chases heard: what workers were told, the samples, and the plan's cells.
type Chased = (InterleaveSetup, Outcome, Vec<(usize, usize)>);

/// Loads from memory of each node, of all of them, and by the best weights.
fn chase(
    session: &Session,
    request: &InterleaveRequest,
    rows: &Rows,
    streams: &InterleaveSetup,
    best: &[Vec<u32>],
) -> anyhow::Result<Chased> {
    let nodes = streams.nodes.len();
    let mut weights: Vec<Vec<u32>> = usual(nodes).into_iter().filter(|one| is_one_or_all(one)).collect();
    weights.extend(best.iter().cloned());
    let mut known = Vec::new();
    weights.retain(|one| {
        !known.contains(one) && {
            known.push(one.clone());
            true
        }
    });
    let treatments: Vec<Treatment> = weights.into_iter().map(|weights| Treatment { weights, kernel: None }).collect();
    let cells: Vec<(usize, usize)> =
        rows.loading.iter().flat_map(|&row| (0..treatments.len()).map(move |column| (row, column))).collect();
    let setup = InterleaveSetup {
        treatments,
        footprint: affordable(request.size, BandwidthRun::footprint(last_level(&session.topology)), &streams.nodes)?,
        ..streams.clone()
    };
    let limits = PlanLimits { deadline: Some(hunt::patience(request.mode)), ..request.mode.limits() };
    let plan = hunt::plan(&setup, cells.clone(), limits, session.seed.wrapping_add(hunt::CHASES));
    let outcome = session.at_once(&plan, Work::Interleave(setup.clone()), "latency")?;
    Ok((setup, outcome, cells))
}

fn is_one_or_all(weights: &[u32]) -> bool {
    let used = weights.iter().filter(|weight| **weight > 0).count();
    used == 1 || used == weights.len()
}

fn options(request: &InterleaveRequest, footprint: Bytes) -> Options {
    Options {
        mode: request.mode,
        rows: request.rows_name.clone(),
        cpus: request.wanted.cpus.clone(),
        nodes: request.wanted.nodes.clone(),
        size_bytes: footprint.0,
        accesses: if request.latency { request.loads } else { 0 },
    }
}
