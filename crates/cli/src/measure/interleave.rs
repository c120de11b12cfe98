//! Interleaving from request to survey: every node alone, pairs and all of them, then a search for the best weights, then what is best
//! beside what is usual; and what a load costs there.

mod hunt;

use std::time::Duration;

use nearfar_infer::weight_search::WeightLimits;
use nearfar_machine::Topology;
use nearfar_model::{Bytes, CpuId, CpuSet};
use nearfar_probe::budget::Extent;
use nearfar_probe::interleave::{InterleaveSetup, SpreadNode, Treatment};
use nearfar_probe::{
    Isa, Kernel, Layout, LayoutColumn, LayoutRow, Outcome, PageSize, PlanLimits, ProbeSpec, RowKind, Wanted,
};
use nearfar_survey::{BandwidthRun, Instruments, InterleaveRun, Mode, Options, SpreadRun, Survey};

use super::Session;
use super::instrument::{Cost, Done, Instrument, most_turns, one_process, placing};
use super::sharing::alone;
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
    pub(crate) budget: Option<Duration>,
    pub(crate) seed: Option<u64>,
}

/// Of a turn that is limited, the search takes so much at most; the rest is for loads.
const STREAMS_SHARE: f64 = 0.7;
/// Among a survey's plans, those of further turns.
const FURTHER: u64 = 10_000;
/// Pairs of nodes are all measured up to so many nodes.
const MOST_FOR_PAIRS: usize = 8;

/// Measures.
pub(crate) fn measure_interleave(request: InterleaveRequest) -> anyhow::Result<Survey> {
    let session = Session::begin(request.seed)?;
    let budget = request.budget;
    let instrument = Interleave::prepare(&session, request)?;
    let options = options(&instrument.request, instrument.footprint());
    alone(&session, instrument, budget, options)
}

/// The instrument.
pub(super) struct Interleave {
    request: InterleaveRequest,
    rows: Rows,
    kernel_weights: Option<Vec<u32>>,
    why: Option<String>,
    /// Before weights are known.
    setup: InterleaveSetup,
    streams: Option<Spread>,
    loads: Option<Spread>,
    begun: bool,
    turns: u32,
}

/// What was heard of streams, or of loads.
pub(super) struct Spread {
    setup: InterleaveSetup,
    outcome: Outcome,
    visited: Vec<(usize, usize)>,
    /// Cells of which more should be known.
    open: Vec<(usize, usize)>,
}

impl Spread {
    fn worst(&self, session: &Session) -> Option<f64> {
        self.outcome.worst_standard_error_of(&self.open, session.seed)
    }

    fn run<'s>(&'s self, rows: &'s Rows) -> SpreadRun<'s> {
        SpreadRun { layout: &rows.layout, outcome: &self.outcome, visited: self.visited.clone(), setup: &self.setup }
    }
}

impl Interleave {
    /// Lays out what was asked for.
    pub(super) fn prepare(session: &Session, request: InterleaveRequest) -> anyhow::Result<Self> {
        let kind = if request.wanted.rows == RowKind::Auto { RowKind::Group } else { request.wanted.rows };
        let wanted = Wanted { rows: kind, ..request.wanted.clone() };
        let layout = Layout::new(&session.topology, &wanted, &ProbeSpec::chase(PageSize::Huge))?;
        let nodes: Vec<SpreadNode> = layout.columns.iter().filter_map(spread_node).collect();
        let (kernel_weights, why) = (kernel_weights(session, &nodes), why_not(&nodes));
        let rows = Rows::of(&layout, request.wanted.rows == RowKind::Auto);
        let setup = setup(&request, &session.topology, &rows.layout, nodes);
        Ok(Self { request, rows, kernel_weights, why, setup, streams: None, loads: None, begun: false, turns: 0 })
    }

    fn footprint(&self) -> Bytes {
        match self.why {
            Some(_) => self.request.size.unwrap_or(Bytes(0)),
            None => self.setup.footprint,
        }
    }

    /// Whether streams are less certain than loads, or all there is.
    fn streams_are_open(&self, session: &Session) -> bool {
        let worst =
            |spread: &Option<Spread>| spread.as_ref().map(|spread| spread.worst(session).unwrap_or(f64::INFINITY));
        match (worst(&self.streams), worst(&self.loads)) {
            (Some(streams), Some(loads)) => streams >= loads,
            (streams, _) => streams.is_some(),
        }
    }

    /// Weights are placed anew by every process, on base pages.
    fn cost(&self) -> Cost {
        let placing = placing(self.setup.footprint.0);
        Cost { process: Duration::from_millis(200), visit: self.setup.window * 5 / 2 + placing }
    }
}

impl Instrument for Interleave {
    fn name(&self) -> &'static str {
        "interleave"
    }

    /// The search has no end that can be told beforehand: some eight steps, and what is best beside what is usual.
    fn expected(&self, extent: Extent) -> Duration {
        if self.why.is_some() {
            return Duration::ZERO;
        }
        let (mode, cost) = (self.mode(extent), self.cost());
        let kinds = self.rows.streaming.len() * self.request.kernels.len();
        let usual = usual(self.setup.nodes.len());
        let chases = usual.iter().filter(|one| is_one_or_all(one)).count() * self.rows.loading.len();
        let streams = cost.of(hunt::coarse(mode), usual.len() * kinds)
            + cost.of(hunt::coarse(mode), kinds) * 8
            + cost.of(hunt::fine(mode), 4 * kinds);
        let loads = cost.of(mode.limits(), chases);
        streams + if self.request.latency { loads } else { Duration::ZERO }
    }

    fn begin(&mut self, session: &Session, extent: Extent) -> anyhow::Result<()> {
        self.begun = true;
        if self.why.is_some() {
            return Ok(());
        }
        let mode = self.mode(extent);
        let share = if self.request.latency { STREAMS_SHARE } else { 1.0 };
        let mut hunt = Hunt::new(session, self.setup.clone(), mode);
        let (request, rows, weights) = (&self.request, &self.rows, self.kernel_weights.as_deref());
        let found = session.in_a_share(share, || search(&mut hunt, request, mode, rows, weights))?;
        let (setup, outcome, visited) = hunt.finish();
        let place = |(row, treatment): &(usize, Treatment)| {
            Some((*row, setup.treatments.iter().position(|known| known == treatment)?))
        };
        let open = found.contenders.iter().filter_map(place).collect();
        if self.request.latency {
            let (setup, outcome, cells) = chase(session, request, mode, rows, &setup, &found.best)?;
            self.loads = Some(Spread { setup, outcome, visited: cells.clone(), open: cells });
        }
        self.streams = Some(Spread { setup, outcome, visited, open });
        Ok(())
    }

    fn aim(&self) -> f64 {
        self.request.mode.standard_error()
    }

    fn worst(&self, session: &Session) -> Option<f64> {
        if self.why.is_some() {
            return Some(0.0);
        }
        let errors: Option<Vec<f64>> =
            self.streams.iter().chain(&self.loads).map(|spread| spread.worst(session)).collect();
        errors?.into_iter().reduce(f64::max)
    }

    fn further(&self) -> Option<Duration> {
        let limits = hunt::fine(self.request.mode);
        let cells = self.streams.as_ref()?.open.len();
        (self.turns < 2 * most_turns(limits)).then(|| self.cost().of(one_process(limits), cells))
    }

    fn go_on(&mut self, session: &Session) -> anyhow::Result<()> {
        self.turns += 1;
        let limits = one_process(hunt::fine(self.request.mode));
        let number = u64::from(self.turns) + FURTHER;
        let spread = if self.streams_are_open(session) { &mut self.streams } else { &mut self.loads };
        if let Some(spread) = spread {
            let heard = hunt::visit(session, &spread.setup, spread.open.clone(), limits, number, "further rounds")?;
            spread.outcome = std::mem::take(&mut spread.outcome).followed_by(heard);
        }
        Ok(())
    }

    fn done(&self) -> Done {
        // Loads came last, and streams are what was searched for.
        Done::of(self.loads.iter().chain(&self.streams).map(|spread| &spread.outcome))
    }

    fn tell<'i>(&'i self, document: &mut Instruments<'i>) {
        document.interleave = self.begun.then(|| InterleaveRun {
            nodes: self.setup.nodes.iter().map(|node| node.node).collect(),
            kernel_weights: self.kernel_weights.clone(),
            bandwidth: self.streams.as_ref().map(|streams| streams.run(&self.rows)),
            latency: self.loads.as_ref().map(|loads| loads.run(&self.rows)),
            why: self.why.clone(),
        });
    }
}

impl Interleave {
    /// The coarsest search is a quick one.
    fn mode(&self, extent: Extent) -> Mode {
        if extent == Extent::Least { Mode::Quick } else { self.request.mode }
    }
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

fn setup(request: &InterleaveRequest, topology: &Topology, layout: &Layout, nodes: Vec<SpreadNode>) -> InterleaveSetup {
    let caches = topology.last_level_groups().len().max(1) as u64;
    let one = BandwidthRun::footprint(last_level(topology));
    InterleaveSetup {
        rows: layout.rows.iter().map(|row| row.cpus.iter().collect::<Vec<CpuId>>()).collect(),
        nodes,
        treatments: vec![],
        isa: Isa::best(),
        footprint: request.size.unwrap_or(Bytes(one.0.saturating_mul(caches))),
        window: request.window,
        loads: request.loads,
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

/// What a search found.
struct Found {
    /// All weights that any row and kernel found best.
    best: Vec<Vec<u32>>,
    /// What was measured side by side at last.
    contenders: Vec<(usize, Treatment)>,
}

/// Searches the best weights for each row and kernel.
fn search(
    hunt: &mut Hunt<'_>,
    request: &InterleaveRequest,
    mode: Mode,
    rows: &Rows,
    kernel_weights: Option<&[u32]>,
) -> anyhow::Result<Found> {
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
    let limits = WeightLimits { largest: request.largest_weight, measurements: first.len() + measurements(mode) };
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
    Ok(Found { best, contenders: last })
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
    mode: Mode,
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
        footprint: request.size.unwrap_or_else(|| BandwidthRun::footprint(last_level(&session.topology))),
        ..streams.clone()
    };
    let limits = PlanLimits { deadline: Some(hunt::patience(mode)), ..mode.limits() };
    let outcome = hunt::visit(session, &setup, cells.clone(), limits, hunt::CHASES, "latency")?;
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

#[cfg(test)]
mod tests {
    use nearfar_model::NodeId;

    use super::*;

    #[test]
    fn nodes_are_measured_alone_in_pairs_and_all_together() {
        assert_eq!(usual(2), [vec![1, 0], vec![0, 1], vec![1, 1]]);
        assert_eq!(usual(3).len(), 3 + 3 + 1);
        assert_eq!(usual(8).len(), 8 + 28 + 1);
        assert_eq!(usual(16).len(), 16 + 1);
    }

    #[test]
    fn one_node_leaves_nothing_to_interleave() {
        let node = |id| SpreadNode { node: NodeId(id), free: None };
        assert!(why_not(&[]).unwrap().contains("knows no nodes"));
        assert!(why_not(&[node(4)]).unwrap().starts_with("node 4 is the only one"));
        assert_eq!(why_not(&[node(0), node(1)]), None);
    }

    #[test]
    fn all_cpus_stream_together_and_each_group_loads() {
        let row = |cpus: &str| {
            let cpus = CpuSet::parse_list(cpus).unwrap();
            LayoutRow { label: cpus.to_string(), node: None, candidates: cpus.clone(), cpus }
        };
        let layout =
            |rows| Layout { rows, columns: vec![], control_columns: vec![], controls: vec![], spinners: CpuSet::new() };
        let two = Rows::of(&layout(vec![row("0-1"), row("2-3")]), true);
        assert_eq!(
            (two.layout.rows[0].cpus.to_string(), two.streaming, two.loading),
            ("0-3".to_owned(), vec![0], vec![1, 2])
        );
        let one = Rows::of(&layout(vec![row("0-1")]), true);
        assert_eq!((one.layout.rows.len(), one.streaming, one.loading), (1, vec![0], vec![0]));
        let each = Rows::of(&layout(vec![row("0-1"), row("2-3")]), false);
        assert_eq!((each.layout.rows.len(), each.streaming, each.loading), (2, vec![0, 1], vec![0, 1]));
    }
}
