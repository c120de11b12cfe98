//! NUMA that the system does not show: pages by kind, lines, and CPUs that moved meanwhile.

mod node_count;
mod samples;
mod timeline;
mod verdict;

use nearfar_infer::hidden::{
    self, Coverage, LineFinding, LineStatement, MAX_SHARE, Nearness, PageFinding, PageReason,
    PageRemedy, PageStatement, PageVerdict, Settling,
};
use nearfar_infer::{InferError, SampleMatrix};
use nearfar_model::{CpuSet, Instrument, NodeSet, Unit};
use nearfar_probe::hidden::{HUGE_PAGE, HiddenSetup};
use nearfar_probe::{Layout, PlanOutcome, PlanScope};
use serde::{Deserialize, Serialize};

use super::instrument_part::InstrumentPart;
use crate::{InstrumentTable, Matrix, MatrixCell, MatrixColumn, MatrixRow};
pub use node_count::NodeCount;
pub use samples::{Fingerprint, HiddenSamples};
pub use timeline::{Jump, PageTimeline};

/// The figures of one instrument: nanoseconds of an access, by group of CPUs and kind of pages. One
/// column, "all pages", where no kinds were found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Hidden {
    /// The figures.
    #[serde(flatten)]
    pub matrix: Matrix,
    /// "found" (pages belong to nodes that the system does not show), "interleaved" (neighbouring
    /// lines do, and pages are of one kind: nothing to place), "none" (nothing down to
    /// `pages.down_to`) or "undetermined".
    pub finding: HiddenFinding,
    /// Pages.
    pub pages: HiddenPages,
    /// Lines.
    pub lines: HiddenLines,
    /// Whether a CPU was moved meanwhile.
    pub timeline: PageTimeline,
    /// The raw samples. Null when they were left out.
    pub samples: Option<HiddenSamples>,
}

/// What was found of hidden nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HiddenFinding {
    /// Pages belong to nodes that the system does not show.
    Found,
    /// Neighbouring lines do, and pages are of one kind: there is nothing to place.
    Interleaved,
    /// Nothing.
    None,
    /// These numbers cannot decide.
    Undetermined,
}

/// Results of pages.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct HiddenPages {
    /// The finding, and why.
    #[serde(flatten)]
    pub found: PageVerdict,
    /// Pages that each process measured.
    pub measured: usize,
    /// The nodes whose memory it is, in list form. Null where the kernel knows no nodes.
    #[schemars(with = "Option<String>")]
    pub nodes: Option<NodeSet>,
    /// The share of their free memory that a process might hold.
    pub share: f64,
    /// What a first look at less memory came to, where it settled nothing. Null where there was
    /// one look only.
    pub first_look: Option<FirstLook>,
    /// Memory that each process touched and held, in bytes.
    pub held_bytes: u64,
    /// Lowest and highest physical address of the measured pages. Null where it is not known.
    pub span_bytes: Option<[u64; 2]>,
    /// Online CPUs in none of the rows that have samples.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub left_out_cpus: Option<CpuSet>,
    /// Ranges of memory by firmware's map: first and last physical address. Null where they are
    /// unknown.
    #[serde(default)]
    pub memory_bytes: Option<Vec<[u64; 2]>>,
    /// The number of hidden nodes. Null where none were found.
    #[serde(default)]
    pub count: Option<NodeCount>,
    /// How it is known that pages stayed where they were: "physical-address" or "node".
    pub proof: String,
    /// The kinds that were found, in the order of the matrix's columns.
    pub kinds: Vec<PageKind>,
    /// What would decide an undetermined result.
    pub would_settle: Option<PageRemedy>,
}

// A look at little memory that settled nothing, and was followed by one at more.
/// What it came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FirstLook {
    /// The share of the free memory that a process might hold.
    pub share: f64,
    /// Memory that each process touched and held, in bytes.
    pub held_bytes: u64,
    /// Why it settled nothing.
    pub reasons: Vec<PageReason>,
}

/// Pages that cost alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PageKind {
    /// CPUs that are near this kind, in list form.
    #[schemars(with = "String")]
    pub near_cpus: CpuSet,
    /// The share (a fraction) of the pages of those processes that agree.
    pub share: f64,
    /// Lowest and highest physical address of its pages. Null where it is not known.
    pub address_bytes: Option<[u64; 2]>,
}

/// Results of lines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct HiddenLines {
    /// The finding, and why.
    #[serde(flatten)]
    pub found: LineStatement,
    /// Lines that each process measured.
    pub measured: usize,
}

/// What was measured of pages and lines.
pub struct HiddenRun<'a> {
    /// The rows.
    pub layout: &'a Layout,
    /// The workers' setup.
    pub setup: &'a HiddenSetup,
    /// The share of the free memory that they might hold.
    pub share: f64,
    /// What a first look at less memory came to, where there was one.
    pub first_look: Option<&'a FirstLook>,
    /// CPUs that are online.
    pub online: &'a CpuSet,
    /// Ranges of memory: first and last physical address. Empty where they are unknown.
    pub memory: &'a [[u64; 2]],
    /// What was measured, or why nothing could be.
    pub outcome: Result<&'a PlanOutcome, String>,
}

/// Where no kinds were found.
const ALL_PAGES: &str = "all pages";

impl Hidden {
    /// The part, with its figures.
    pub fn from_run(run: &HiddenRun<'_>, seed: u64) -> Result<Self, InferError> {
        let mut hidden = Self::new(run);
        hidden.derive(seed)?;
        Ok(hidden)
    }

    /// The part before its figures.
    pub fn new(run: &HiddenRun<'_>) -> Self {
        let nothing = PlanOutcome::default();
        let outcome = run.outcome.as_ref().copied().unwrap_or(&nothing);
        let why = run.outcome.as_ref().err().cloned().or_else(|| given_up(run.setup, outcome));
        let samples = HiddenSamples::new(run.setup, outcome);
        let held = outcome.placed.get(&(run.setup.lines_column(), 0)).map_or(0, |held| held.pages);
        let reason = why.map_or(PageReason::NoPages, |why| PageReason::Unavailable { why });
        let unmeasured = HiddenPages::unmeasured(reason, run.share);
        let needed = run.setup.pages as u64 * HUGE_PAGE.0;
        let has_samples = |row: usize| outcome.samples.iter().any(|sample| sample.place.row == row);
        let measured = run.layout.rows.iter().enumerate().filter(|(row, _)| has_samples(*row));
        let measured_cpus = measured.fold(CpuSet::new(), |all, (_, row)| all.union(&row.cpus));
        let has_room = verdict::can_hold(needed, run.setup.hold.0, run.share);
        let pages = HiddenPages {
            held_bytes: u64::from(held) * HUGE_PAGE.0,
            span_bytes: samples.span(),
            proof: if samples.knows_addresses() { "physical-address" } else { "node" }.to_owned(),
            nodes: run.setup.memories.iter().map(|memory| memory.node).collect(),
            measured: if held == 0 { 0 } else { run.setup.pages },
            first_look: run.first_look.cloned(),
            left_out_cpus: Some(run.online.difference(&measured_cpus)),
            memory_bytes: (!run.memory.is_empty()).then(|| run.memory.to_vec()),
            would_settle: if has_room {
                unmeasured.would_settle
            } else {
                Some(PageRemedy::MoreMemory)
            },
            ..unmeasured
        };
        Self {
            matrix: Matrix {
                probe: "hidden".to_owned(),
                unit: Unit::Nanoseconds,
                columns: vec![column(ALL_PAGES.to_owned(), outcome, run.setup)],
                cells: Vec::new(),
                rows: MatrixRow::all_of(run.layout, outcome),
            },
            finding: HiddenFinding::Undetermined,
            pages,
            lines: HiddenLines { found: LineStatement::unmeasured(), measured: samples.lines() },
            timeline: PageTimeline::default(),
            samples: (!samples.is_empty()).then_some(samples),
        }
    }

    /// Derives its figures from its samples. Without samples nothing changes.
    pub(crate) fn derive(&mut self, seed: u64) -> Result<(), InferError> {
        let Some(samples) = &self.samples else { return Ok(()) };
        let rows = self.matrix.rows.len();
        let statement = hidden::pages(&samples.sheets(), rows, seed);
        let kinds = samples.kinds(&statement.of_pages);
        let is_near: Vec<bool> =
            statement.clusters.iter().map(|cluster| !cluster.near.is_empty()).collect();
        let coverage = self
            .pages
            .memory_bytes
            .as_ref()
            .and_then(|memory| Coverage::new(&samples.seen(&kinds), memory, &is_near));
        self.pages.take(&statement, coverage.as_ref(), &self.matrix.rows);
        for (index, kind) in self.pages.kinds.iter_mut().enumerate() {
            kind.address_bytes = samples.span_of(&kinds, index);
        }
        self.lines.found = hidden::lines(&samples.halves(), rows, seed);
        self.timeline = PageTimeline::new(samples, &self.matrix.rows, seed);
        self.finding = self.overall();
        let readings = samples.by_kind(&kinds, rows, self.pages.kinds.len())?;
        self.figure(&readings, seed);
        Ok(())
    }

    /// The result of pages, lines and the timeline.
    fn overall(&self) -> HiddenFinding {
        let moved = !self.timeline.jumps.is_empty();
        match (self.pages.found.finding, self.lines.found.finding) {
            (PageFinding::Found, _) => HiddenFinding::Found,
            // Where pages are open, their lines' nodes may be the pages' own.
            (PageFinding::None, LineFinding::Interleaved) => HiddenFinding::Interleaved,
            (PageFinding::None, _) if !moved => HiddenFinding::None,
            _ => HiddenFinding::Undetermined,
        }
    }

    /// A column for each kind, and its cells' figures.
    fn figure(&mut self, readings: &SampleMatrix, seed: u64) {
        let pages = self.pages.measured as f64;
        let whole = self.matrix.columns.first().cloned();
        let like = |label: String, share: f64| {
            whole.as_ref().map(|whole| MatrixColumn {
                label,
                pages: (share * pages).round() as u32,
                ..whole.clone()
            })
        };
        self.matrix.columns = match self.pages.kinds.len() {
            0 => like(ALL_PAGES.to_owned(), 1.0).into_iter().collect(),
            _ => (0..)
                .zip(&self.pages.kinds)
                .filter_map(|(index, kind)| like(format!("kind {index}"), kind.share))
                .collect(),
        };
        let rows = self.matrix.rows.iter().enumerate();
        let cells = rows.flat_map(|(index, row)| {
            let cell = move |column| MatrixCell {
                row: index,
                column,
                cpus: row.cpus.clone(),
                ..MatrixCell::default()
            };
            (0..readings.columns()).map(cell)
        });
        self.matrix.cells = cells.collect();
        let estimates = nearfar_infer::estimates(readings, seed);
        self.matrix.take(&estimates, |_, cell| cell.column);
    }

    /// Whether more processes may settle it.
    pub fn asks_for_more_processes(&self) -> bool {
        self.finding == HiddenFinding::Undetermined
            && self.pages.found.settling == Some(Settling::MoreProcesses)
    }

    /// Whether more memory may settle it, or show more nodes, and how a look that held less is
    /// remembered then.
    pub fn asks_for_more_memory(&self) -> Option<FirstLook> {
        let more =
            matches!(self.pages.found.settling, Some(Settling::Pages | Settling::OtherPages));
        let asks = match self.finding {
            HiddenFinding::Undetermined => more,
            HiddenFinding::Found => {
                self.pages.count.as_ref().is_some_and(|count| count.needs_memory)
            }
            HiddenFinding::Interleaved | HiddenFinding::None => false,
        };
        let HiddenPages { share, held_bytes, ref found, .. } = self.pages;
        (asks && share < MAX_SHARE).then(|| FirstLook {
            share,
            held_bytes,
            reasons: found.reasons.clone(),
        })
    }
}

impl InstrumentPart for Hidden {
    fn judge(&mut self, _: usize, seed: u64) -> Result<(), InferError> {
        self.derive(seed)
    }

    fn strip_samples(&mut self) {
        self.samples = None;
    }

    fn tables(&self) -> Vec<InstrumentTable<'_>> {
        vec![self.matrix.table(Instrument::Hidden, None, |_| 0, |_| true)]
    }

    /// Pages have a cell where they were measured, and none where they were not.
    fn why_unmeasured(&self) -> Option<&str> {
        let lines = self.lines.found.reliability.iter().flatten().count();
        let is_unmeasured = self.matrix.cells.is_empty() && lines == 0;
        let why = match self.pages.found.reasons.first() {
            Some(PageReason::Unavailable { why }) => why,
            _ => "no page could be measured",
        };
        is_unmeasured.then_some(why)
    }

    /// Its finding names what they leave open.
    fn warns_of_cells(&self) -> bool {
        false
    }
}

/// Why no page could be measured, where none could.
fn given_up(setup: &HiddenSetup, outcome: &PlanOutcome) -> Option<String> {
    let why = |scope| outcome.unavailable.get(&scope);
    let no_page = (0..setup.pages).all(|page| why(PlanScope::Column(page)).is_some());
    let no_row = (0..setup.rows.len()).all(|row| why(PlanScope::Row(row)).is_some());
    let page = why(PlanScope::Column(0)).filter(|_| no_page);
    page.or_else(|| why(PlanScope::Row(0)).filter(|_| no_row)).cloned()
}

fn column(label: String, outcome: &PlanOutcome, setup: &HiddenSetup) -> MatrixColumn {
    let node = match setup.memories.as_slice() {
        [memory] => memory.node,
        _ => None,
    };
    let backing = outcome.placed.get(&(0, 0)).map(|placed| placed.backing.clone());
    MatrixColumn { label, node, pages: u32::try_from(setup.pages).unwrap_or(u32::MAX), backing }
}

impl HiddenPages {
    fn unmeasured(reason: PageReason, share: f64) -> Self {
        let found = PageVerdict::unmeasured(reason);
        let would_settle = found.settling.map(|settling| settling.remedy(share, None));
        Self { found, share, would_settle, ..Self::default() }
    }

    fn take(&mut self, statement: &PageStatement, coverage: Option<&Coverage>, rows: &[MatrixRow]) {
        self.count = NodeCount::new(statement, coverage, rows, self.left_out_cpus.as_ref());
        let is_exact = self.count.as_ref().is_some_and(|count| count.is_exact);
        let cpus = |near: &[usize]| -> CpuSet {
            near.iter()
                .filter_map(|row| rows.get(*row))
                .fold(CpuSet::new(), |all, row| all.union(&row.cpus))
        };
        let doubtful = |kind: usize| -> Vec<usize> {
            let rows = statement.near.iter().enumerate();
            let own = rows.filter(|(_, near)| is_exact && **near == Nearness::Doubtful(kind));
            own.map(|(row, _)| row).collect()
        };
        let kind = |(index, cluster): (usize, &hidden::PageCluster)| PageKind {
            near_cpus: cpus(&cluster.near).union(&cpus(&doubtful(index))),
            share: cluster.share,
            address_bytes: None,
        };
        self.kinds = statement.clusters.iter().enumerate().map(kind).collect();
        self.found.clone_from(&statement.verdict);
        let more_nodes =
            self.count.as_ref().filter(|count| count.needs_memory).map(|_| Settling::OtherPages);
        self.would_settle = self
            .found
            .settling
            .or(more_nodes)
            .map(|settling| settling.remedy(self.share, self.left_out_cpus.as_ref()));
    }
}

#[cfg(test)]
mod tests;
