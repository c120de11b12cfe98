//! The design of a search for hidden nodes: rows, memory and rounds.

use std::time::Duration;

use nearfar_model::Bytes;
use nearfar_probe::hidden::{HUGE_PAGE, HiddenSetup};
use nearfar_probe::{Layout, MemoryJob};

use super::memory_budget::{MemoryBudget, SHARE};
use crate::Mode;
use crate::measure::cost::{VisitCost, placing};

const PAGES: usize = 64;
const LINES: usize = 512;
/// Visits to the reference page per round.
const REFERENCES: usize = 4;
/// The limit on rows: more reveal no more nodes, but take time.
const MAX_ROWS: usize = 8;
/// The minimum of rounds per process.
const MIN_ROUNDS: u32 = 2;
/// The time of a sample's loads, flush, settling and lookup on an unknown machine.
const USUAL_SAMPLE: Duration = Duration::from_micros(1300);
/// The time of a sample beyond its loads.
const BESIDE_LOADS: Duration = Duration::from_micros(400);
/// The time of a line's sample.
const LINE_SAMPLE: Duration = Duration::from_micros(80);

/// At most `most` rows, evenly selected.
pub(super) fn some_rows(layout: &Layout, most: usize) -> Layout {
    let count = layout.rows.len();
    let chosen = (0..count.min(most)).map(|at| layout.rows[at * count / count.min(most)].clone());
    Layout { rows: chosen.collect(), control_columns: vec![], controls: vec![], ..layout.clone() }
}

/// The setup for workers, and whether there is memory for it.
pub(super) fn setup(
    layout: &Layout,
    mode: Mode,
    share: f64,
    memory_budget: &MemoryBudget,
) -> (HiddenSetup, Result<(), String>) {
    let mut memories: Vec<MemoryJob> = Vec::new();
    for column in layout.measurable_columns() {
        let memory = &layout.columns[column].memory;
        if memories.iter().all(|known| known.node != memory.node) {
            memories.push(memory.clone());
        }
    }
    let free = memory_budget.free();
    let needed = Bytes(PAGES as u64 * HUGE_PAGE.0);
    let hold = free
        .map_or(needed, |free| Bytes((free.0 as f64 * share) as u64 / HUGE_PAGE.0 * HUGE_PAGE.0));
    let memory_budget = match (memories.is_empty(), free) {
        (true, _) => Err("no node has usable memory".to_owned()),
        (_, Some(free)) if hold < needed => Err(format!(
            "{PAGES} pages of 2 MiB need {needed}, and {} % of the free {free} are {hold}",
            100.0 * share
        )),
        _ => Ok(()),
    };
    let setup = HiddenSetup {
        rows: layout.rows.iter().map(|row| row.candidates.clone()).collect(),
        memories,
        pages: PAGES,
        lines: LINES,
        references: REFERENCES,
        hold,
        touch_at_least: if share > SHARE { hold } else { needed },
        touch_for: match (mode, share > SHARE) {
            (Mode::Thorough, _) | (_, true) => Duration::from_secs(10),
            _ => Duration::from_millis(500),
        },
    };
    (setup, memory_budget)
}

/// Visits of a row in a round: pages, references and lines.
fn visits_of_row(setup: &HiddenSetup) -> usize {
    setup.pages + setup.references + 1
}

/// The rows and rounds that the time allows.
pub(super) struct Pace {
    mode: Mode,
    sample: Duration,
}

impl Pace {
    /// The pace of an ordinary machine.
    pub(super) fn usual(mode: Mode) -> Self {
        Self { mode, sample: USUAL_SAMPLE }
    }

    /// The pace of a machine with this time per sample, if known.
    pub(super) fn new(loads: Option<Duration>, mode: Mode) -> Self {
        Self { mode, sample: loads.map_or(USUAL_SAMPLE, |loads| loads + BESIDE_LOADS) }
    }

    /// The time of a process: placing memory, and its visits.
    pub(super) fn process(&self, setup: &HiddenSetup, rounds: u32) -> Duration {
        self.cost(setup).process(visits_of_row(setup) * setup.rows.len() * rounds as usize)
    }

    /// The cost of its processes and visits; one visit in each row and round has all lines.
    pub(super) fn cost(&self, setup: &HiddenSetup) -> VisitCost {
        let pages = self.sample * (setup.pages + setup.references) as u32;
        let row_time = pages + LINE_SAMPLE * setup.lines as u32;
        VisitCost {
            process: placing(setup.hold.0).min(setup.touch_for),
            visit: row_time / visits_of_row(setup) as u32,
        }
    }

    /// The number of rows, out of `rows`, and of rounds per process: at least two.
    pub(super) fn rows_and_rounds(&self, rows: usize) -> (usize, u32) {
        let visits = self.budget().as_secs_f64()
            / f64::from(self.processes())
            / self.sample.as_secs_f64()
            / PAGES as f64;
        let least = f64::from(MIN_ROUNDS);
        let rows = rows.clamp(1, MAX_ROWS).min(((visits / least) as usize).max(2));
        let rounds = (visits / rows as f64).clamp(least, f64::from(self.max_rounds()));
        (rows, rounds as u32)
    }

    pub(super) fn processes(&self) -> u32 {
        if self.mode == Mode::Thorough { 6 } else { 3 }
    }

    fn max_rounds(&self) -> u32 {
        match self.mode {
            Mode::Quick => 3,
            Mode::Default => 4,
            Mode::Thorough => 10,
        }
    }

    /// The approximate time for visits to pages.
    fn budget(&self) -> Duration {
        Duration::from_secs(if self.mode == Mode::Thorough { 60 } else { 8 })
    }

    /// The time limit of a search.
    pub(super) fn timeout(&self) -> Duration {
        self.budget() * 8
    }
}

#[cfg(test)]
mod tests {
    use nearfar_machine::MemoryLimit;
    use nearfar_model::{CpuSet, NodeId};
    use nearfar_probe::{LayoutColumn, LayoutRow, ProbeSpec};

    use super::*;

    fn layout(rows: usize, free: &[Bytes]) -> Layout {
        let row = |index: usize| LayoutRow::new(format!("core {index}"), None, CpuSet::new());
        let column = |(node, free): (u32, &Bytes)| LayoutColumn {
            label: String::new(),
            probe: ProbeSpec::page(),
            pages: 8,
            memory: MemoryJob {
                node: Some(NodeId(node)),
                free: Some(*free),
                ..MemoryJob::default()
            },
        };
        let columns = (0..).zip(free).map(column).collect();
        Layout { rows: (0..rows).map(row).collect(), columns, ..Layout::default() }
    }

    #[test]
    fn a_quarter_of_free_memory_is_held() {
        let of = |memories: &[Bytes], free: Bytes| {
            let memory_budget = MemoryBudget(vec![MemoryLimit { free, total: Bytes::gib(8) }]);
            setup(&layout(2, memories), Mode::Default, SHARE, &memory_budget)
        };
        let (roomy, memory_budget) = of(&[Bytes::gib(4)], Bytes::gib(4));
        assert_eq!((roomy.hold, memory_budget), (Bytes::gib(1), Ok(())));
        let (two, _) = of(&[Bytes::gib(4), Bytes::gib(2)], Bytes::gib(6));
        assert_eq!((two.hold, two.memories.len()), (Bytes::mib(1536), 2));
        let (_, memory_budget) = of(&[Bytes::mib(400)], Bytes::mib(400));
        assert_eq!(
            memory_budget.unwrap_err(),
            "64 pages of 2 MiB need 128 MiB, and 25 % of the free 400 MiB are 100 MiB"
        );
        assert!(of(&[], Bytes::gib(4)).1.is_err());
    }

    #[test]
    fn rows_are_chosen_evenly_and_rounds_fit_the_time() {
        let labels: Vec<String> =
            some_rows(&layout(24, &[]), 8).rows.into_iter().map(|row| row.label).collect();
        assert_eq!(labels[..3], ["core 0", "core 3", "core 6"]);
        assert_eq!(some_rows(&layout(3, &[]), 8).rows.len(), 3);
        let at = |sample| Pace { mode: Mode::Default, sample }.rows_and_rounds(24);
        assert_eq!(at(USUAL_SAMPLE), (8, 4));
        // An emulated machine, a hundred times slower: few rows, and the minimum of rounds.
        assert_eq!(at(Duration::from_millis(130)), (2, 2));
        assert_eq!(Pace { mode: Mode::Default, sample: USUAL_SAMPLE }.rows_and_rounds(2), (2, 4));
    }
}
