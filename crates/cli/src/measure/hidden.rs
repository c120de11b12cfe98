//! Hidden nodes from request to survey: which CPUs, how much memory, how many rounds; and once more with more memory, where that may settle it.

use std::time::Duration;

use nearfar_machine::Topology;
use nearfar_model::Bytes;
use nearfar_probe::bandwidth::MemoryJob;
use nearfar_probe::hidden::{HUGE_PAGE, HiddenSetup};
use nearfar_probe::{Layout, LayoutColumn, Outcome, Plan, PlanLimits, ProbeSpec, Wanted, Work};
use nearfar_survey::{Hidden, HiddenRun, Instruments, Mode, Options, Survey};

use super::Session;

/// What is to be measured.
pub(crate) struct HiddenRequest {
    pub(crate) mode: Mode,
    pub(crate) wanted: Wanted,
    pub(crate) rows_name: String,
    /// How much of the free memory may be held.
    pub(crate) share: Option<f64>,
    pub(crate) seed: Option<u64>,
}

/// How much of the free memory may be held, unless asked otherwise,
pub(super) const SHARE: f64 = 0.25;
/// and where a quarter may lie beside some CPUs only.
const LARGER_SHARE: f64 = 0.75;
/// Pages that are measured.
const PAGES: usize = 64;
/// Lines that are measured.
const LINES: usize = 512;
/// How often a round comes back to the reference page.
const REFERENCES: usize = 4;
/// Rows beyond this tell no more of nodes, and take their time.
const MOST_ROWS: usize = 8;
/// A sample's loads, and as much again as flushing, settling and looking up take, on a machine of which nothing is known yet.
const USUAL_SAMPLE: Duration = Duration::from_micros(1300);
/// What a sample takes beside its loads.
const BESIDE_LOADS: Duration = Duration::from_micros(400);

/// How many rows and rounds there is time for.
pub(super) struct Pace {
    mode: Mode,
    sample: Duration,
}

/// What was looked at, and what was heard.
pub(super) struct Look {
    layout: Layout,
    setup: HiddenSetup,
    outcome: Result<Outcome, String>,
}

/// Measures.
pub(crate) fn measure_hidden(request: &HiddenRequest) -> anyhow::Result<Survey> {
    let session = Session::begin(request.seed)?;
    let layout = Layout::new(&session.topology, &request.wanted, &ProbeSpec::page())?;
    let pace = Pace { mode: request.mode, sample: USUAL_SAMPLE };
    let look = match request.share {
        Some(share) => look_once(&session, &layout, &pace, share)?,
        None => look(&session, &layout, &pace, SHARE)?,
    };
    let nothing = Outcome::default();
    let outcome = look.outcome.as_ref().unwrap_or(&nothing);
    session.document(
        Instruments { hidden: Some(look.run()), ..Instruments::default() },
        nearfar_infer::THRESHOLD,
        session.provenance(outcome, options(request)),
    )
}

/// Whether a survey looks for hidden nodes: where the system shows one memory, or several that it claims to be equally far. Thorough ones always do.
pub(super) fn is_worth_it(topology: &Topology, mode: Mode) -> bool {
    let with_memory = topology.nodes.iter().filter(|node| node.has_memory()).count();
    mode == Mode::Thorough || with_memory <= 1 || claims_no_difference(topology)
}

fn claims_no_difference(topology: &Topology) -> bool {
    let Some(claimed) = &topology.distances else { return false };
    let nodes: Vec<_> = topology.nodes.iter().filter(|node| node.has_memory()).map(|node| node.id).collect();
    let mut far = nodes.iter().flat_map(|&from| nodes.iter().map(move |&to| claimed.between(from, to)));
    let first = far.next().flatten();
    far.all(|distance| distance == first)
}

/// Looks, and once more with more memory where all pages of the first look may lie beside the same CPUs.
pub(super) fn look(session: &Session, layout: &Layout, pace: &Pace, share: f64) -> anyhow::Result<Look> {
    let first = look_once(session, layout, pace, share)?;
    let asks = Hidden::of(&first.run(), session.seed)?.asks_for_more_memory();
    if asks && share < LARGER_SHARE { look_once(session, layout, pace, LARGER_SHARE) } else { Ok(first) }
}

fn look_once(session: &Session, layout: &Layout, pace: &Pace, share: f64) -> anyhow::Result<Look> {
    let (rows, rounds) = pace.rows_and_rounds(layout.rows.len());
    let layout = some_rows(layout, rows);
    let (setup, room) = setup(&layout, pace.mode, share);
    let outcome = match room {
        Err(why) => Err(why),
        Ok(()) => Ok(session.at_once(
            &plan(&setup, pace, rounds, session.seed),
            Work::Hidden(setup.clone()),
            "hidden nodes",
        )?),
    };
    Ok(Look { layout, setup, outcome })
}

impl Look {
    /// As the document takes it.
    pub(super) fn run(&self) -> HiddenRun<'_> {
        HiddenRun { layout: &self.layout, setup: &self.setup, outcome: self.outcome.as_ref().map_err(String::clone) }
    }
}

/// So many of the rows, evenly chosen.
fn some_rows(layout: &Layout, most: usize) -> Layout {
    let count = layout.rows.len();
    let chosen = (0..count.min(most)).map(|at| layout.rows[at * count / count.min(most)].clone());
    Layout { rows: chosen.collect(), control_columns: vec![], controls: vec![], ..layout.clone() }
}

/// What workers are told; and whether there is memory for it.
fn setup(layout: &Layout, mode: Mode, share: f64) -> (HiddenSetup, Result<(), String>) {
    let mut memories: Vec<&LayoutColumn> = Vec::new();
    for column in layout.columns.iter().filter(|column| column.why_not.is_none()) {
        if memories.iter().all(|known| known.node != column.node) {
            memories.push(column);
        }
    }
    let free: Option<u64> = memories.iter().map(|memory| memory.free.map(|free| free.0)).sum();
    let free = free.map(Bytes);
    let needed = Bytes(PAGES as u64 * HUGE_PAGE.0);
    let hold = free.map_or(needed, |free| Bytes((free.0 as f64 * share) as u64 / HUGE_PAGE.0 * HUGE_PAGE.0));
    let room = match (memories.is_empty(), free) {
        (true, _) => Err("no node has memory that may be used".to_owned()),
        (_, Some(free)) if hold < needed => Err(format!(
            "{PAGES} pages of 2 MiB take {needed}, and {:.0} % of the free memory ({free}) hold fewer",
            100.0 * share
        )),
        _ => Ok(()),
    };
    let setup = HiddenSetup {
        rows: layout.rows.iter().map(|row| row.candidates.clone()).collect(),
        memories: memories.into_iter().map(MemoryJob::of).collect(),
        pages: PAGES,
        lines: LINES,
        references: REFERENCES,
        hold,
        touch_for: match (mode, share > SHARE) {
            (Mode::Thorough, _) | (_, true) => Duration::from_secs(10),
            _ => Duration::from_millis(500),
        },
    };
    (setup, room)
}

fn plan(setup: &HiddenSetup, pace: &Pace, rounds: u32, seed: u64) -> Plan {
    let rows = || 0..setup.rows.len();
    let beyond = || [setup.lines_column()].into_iter().chain(setup.reference_columns());
    Plan {
        rows: setup.rows.len(),
        columns: setup.pages,
        cells: rows().flat_map(|row| (0..setup.pages).map(move |page| (row, page))).collect(),
        controls: rows().flat_map(|row| beyond().map(move |column| (row, column))).collect(),
        limits: PlanLimits {
            first_rounds: rounds * pace.processes(),
            first_rounds_per_process: rounds,
            step_rounds: rounds,
            most_rounds: rounds * pace.processes(),
            // All rounds in any case: no cell's own precision decides.
            standard_error: 0.0,
            deadline: Some(pace.patience()),
        },
        seed,
    }
}

impl Pace {
    /// As fast as samples of these loads were.
    pub(super) fn of(outcome: &Outcome, probe: &ProbeSpec, mode: Mode) -> Self {
        let mut costs: Vec<f64> = outcome.readings.iter().map(|taken| taken.reading.ns.0).collect();
        costs.sort_by(f64::total_cmp);
        let loads = costs.get(costs.len() / 2).map(|ns| Duration::from_nanos((ns * probe.accesses as f64) as u64));
        Self { mode, sample: loads.map_or(USUAL_SAMPLE, |loads| loads + BESIDE_LOADS) }
    }

    /// How many rows, of so many, and how many rounds a process: two at least.
    fn rows_and_rounds(&self, rows: usize) -> (usize, u32) {
        let visits =
            self.budget().as_secs_f64() / f64::from(self.processes()) / self.sample.as_secs_f64() / PAGES as f64;
        let least = f64::from(LEAST_ROUNDS);
        let rows = rows.clamp(1, MOST_ROWS).min(((visits / least) as usize).max(2));
        let rounds = (visits / rows as f64).clamp(least, f64::from(self.most_rounds()));
        (rows, rounds as u32)
    }

    fn processes(&self) -> u32 {
        if self.mode == Mode::Thorough { 6 } else { 3 }
    }

    fn most_rounds(&self) -> u32 {
        match self.mode {
            Mode::Quick => 3,
            Mode::Default => 4,
            Mode::Thorough => 10,
        }
    }

    /// What visits to pages may take, about.
    fn budget(&self) -> Duration {
        Duration::from_secs(if self.mode == Mode::Thorough { 60 } else { 8 })
    }

    fn patience(&self) -> Duration {
        self.budget() * 8
    }
}

/// Rounds that a process makes at least.
const LEAST_ROUNDS: u32 = 2;

fn options(request: &HiddenRequest) -> Options {
    Options {
        mode: request.mode,
        rows: request.rows_name.clone(),
        cpus: request.wanted.cpus.clone(),
        nodes: request.wanted.nodes.clone(),
        size_bytes: HUGE_PAGE.0,
        accesses: ProbeSpec::page().accesses,
    }
}

#[cfg(test)]
mod tests {
    use nearfar_model::{CpuSet, NodeId};
    use nearfar_probe::LayoutRow;

    use super::*;

    fn layout(rows: usize, free: &[Bytes]) -> Layout {
        let row = |index: usize| LayoutRow {
            label: format!("core {index}"),
            node: None,
            cpus: CpuSet::new(),
            candidates: CpuSet::new(),
        };
        let column = |(node, free): (u32, &Bytes)| LayoutColumn {
            label: String::new(),
            node: Some(NodeId(node)),
            pages: 8,
            probe: ProbeSpec::page(),
            touch_from: CpuSet::new(),
            free: Some(*free),
            why_not: None,
        };
        Layout {
            rows: (0..rows).map(row).collect(),
            columns: (0..).zip(free).map(column).collect(),
            control_columns: vec![],
            controls: vec![],
            spinners: CpuSet::new(),
        }
    }

    #[test]
    fn a_quarter_of_free_memory_is_held_and_too_little_is_told() {
        let (roomy, room) = setup(&layout(2, &[Bytes::gib(4)]), Mode::Default, SHARE);
        assert_eq!((roomy.hold, room), (Bytes::gib(1), Ok(())));
        let (two, _) = setup(&layout(2, &[Bytes::gib(4), Bytes::gib(2)]), Mode::Default, SHARE);
        assert_eq!((two.hold, two.memories.len()), (Bytes::mib(1536), 2));
        let (_, room) = setup(&layout(2, &[Bytes::mib(400)]), Mode::Default, SHARE);
        assert_eq!(
            room.unwrap_err(),
            "64 pages of 2 MiB take 128 MiB, and 25 % of the free memory (400 MiB) hold fewer"
        );
        assert!(setup(&layout(2, &[]), Mode::Default, SHARE).1.is_err());
    }

    #[test]
    fn rows_are_chosen_evenly_and_rounds_fit_the_time() {
        let labels: Vec<String> = some_rows(&layout(24, &[]), 8).rows.into_iter().map(|row| row.label).collect();
        assert_eq!(labels[..3], ["core 0", "core 3", "core 6"]);
        assert_eq!(some_rows(&layout(3, &[]), 8).rows.len(), 3);
        let at = |sample| Pace { mode: Mode::Default, sample }.rows_and_rounds(24);
        assert_eq!(at(USUAL_SAMPLE), (8, 4));
        // An emulated machine, a hundred times slower: few rows, and as few rounds as there may be.
        assert_eq!(at(Duration::from_millis(130)), (2, 2));
        assert_eq!(Pace { mode: Mode::Default, sample: USUAL_SAMPLE }.rows_and_rounds(2), (2, 4));
    }
}
