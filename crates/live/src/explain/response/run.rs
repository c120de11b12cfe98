//! Measures a response: doses in random order within blocks, while a metric is read.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use nearfar_infer::response::{
    DosePeriod, DosePoint, MIN_RESPONSE_BLOCKS, PartOfPages, Response, ResponseFigure,
    ResponseVerdict, dose_points, relative_time, response,
};
use nearfar_machine::process::NodeSummaries;
use nearfar_machine::{PageSizes, Process, Source};
use nearfar_model::{Bytes, CpuId};
use nearfar_process::{
    BytesByNode, MovableMemory, NodeWeights, PageLayout, ProcessObjects, SharedPages,
    ThreadReading, sample_threads,
};
use nearfar_view::terminal::Interrupt;

use crate::explain::balancing;
use crate::explain::document::{NodeShare, SurveyUsed};
use crate::explain::metric_reader::MetricReader;
use crate::explain::pause::{SETTLING, pause};
use crate::explain::response::document::{
    DroppedDose, MovingCost, RESPONSE_SCHEMA, ResponseDocument, ResponsePeriod,
};
use crate::explain::response::doses::DoseNodes;
use crate::explain::response::forecasts::forecasts_here;
use crate::explain::response::moving::Mover;
use crate::explain::response::{PER_BLOCK, ResponseSettings, order};
use crate::explain::subjects::{Moved, Subjects};
use crate::explain::trial_run::{TrialEvent, TrialReport};
use crate::explain::{Direction, ExplainError};
use crate::thread_weights::thread_weights;

/// Memory that may change its node during a period, as a share of all.
const MOVED: f64 = 0.05;
/// A share of pages that take part, from which on it is all of them.
const ALL: f64 = 0.999;

/// The CPU nodes of threads and the nodes of memory of each process.
type Places = Vec<(NodeWeights, Vec<NodeShare>)>;

/// What a run works on.
struct Run<'r> {
    source: &'r Source,
    summaries: &'r NodeSummaries,
    settings: &'r ResponseSettings,
    reader: MetricReader<'r>,
    page: Bytes,
    interrupt: &'r Interrupt,
    report: TrialReport<'r>,
}

/// Measures the response of these processes. Whatever happens, pages are put back.
///
/// # Errors
///
/// The metric cannot be read, pages cannot be moved or not be put back, moving costs too much, the
/// kernel's balancing cannot be switched off, the processes end, or the user interrupts.
pub fn measure_response(
    source: &Source,
    (summaries, nodes): (&NodeSummaries, &DoseNodes),
    survey: Option<SurveyUsed>,
    settings: &ResponseSettings,
    interrupt: &Interrupt,
    report: TrialReport<'_>,
) -> Result<ResponseDocument, ExplainError> {
    let pids: Vec<u32> = nodes.all.iter().map(|process| process.pid).collect();
    let reader = MetricReader::new(source, &settings.metric, &pids)?;
    let page = PageSizes::read(source).base.unwrap_or(Bytes::kib(4));
    let run = Run { source, summaries, settings, reader, page, interrupt, report };
    let started = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let guard = balancing::switched_off(source, settings.guard)?;
    let not_restored = |error: &ExplainError| report(TrialEvent::NotRestored(error));
    let shared = (nodes.all.first())
        .map_or(SharedPages::Stay, |process| SharedPages::allowed(process.pid, process.far));
    // Locked memory was refused, or may move.
    let may_move = MovableMemory { shared, locked: true, huge_pool: true };
    let movable = ProcessObjects::read(source, &pids, may_move)?.movable;
    let subjects = Subjects::new(source, &pids, page, &settings.notes, shared, &not_restored)?;
    let movable = subjects.layouts_of(&movable);
    let unit = subjects.moved_together(page);
    let (taking_part, seed) = (1.0, settings.seed);
    let (seconds, bytes) = (0.0, Bytes(0));
    let mut mover = Mover { subjects, movable, nodes, unit, taking_part, seed, seconds, bytes };
    let as_found = run.as_found(&mover)?;
    let began = Instant::now();
    let periods = run.blocks(&mut mover);
    report(TrialEvent::PeriodsEnded);
    let periods = periods?;
    let elapsed = began.elapsed().as_secs_f64();
    let processes = mover.subjects.put_back().into_iter().collect::<Result<_, _>>()?;
    let taking_part = Participants { share: mover.taking_part, others: as_found };
    let Judged { found, points, as_found: time_as_found, far_memory } =
        Judged::new(&periods, nodes, settings.metric.direction, &taking_part);
    let mut document = ResponseDocument {
        schema: RESPONSE_SCHEMA.to_owned(),
        started,
        machine: None,
        target: settings.target.clone(),
        survey,
        metric: settings.metric.clone(),
        period_s: settings.period.as_secs_f64(),
        seed,
        unit: nodes.unit,
        near: nodes.near,
        far: nodes.far,
        interleaved: nodes.interleaved,
        as_found: Some(as_found),
        time_as_found,
        nodes: nodes.all.clone(),
        moved_together: unit,
        points,
        moving: MovingCost {
            seconds: mover.seconds,
            share: mover.seconds / elapsed.max(f64::MIN_POSITIVE),
            limit: settings.max_cost,
            bytes: mover.bytes,
            taking_part: mover.taking_part,
            far_memory,
        },
        periods,
        response: found,
        forecasts: Vec::new(),
        placements: Vec::new(),
        balancing_was_off: guard.is_some(),
        started_meanwhile: 0,
        processes,
    };
    document.forecasts = forecasts_here(&document);
    Ok(document)
}

/// The pages that take part.
struct Participants {
    /// Their share.
    share: f64,
    /// The mean latency of the others, which stay as they were found.
    others: f64,
}

impl Participants {
    /// Their own mean latency, by that of all pages.
    fn dose(&self, of_all: f64) -> f64 {
        (of_all - (1.0 - self.share) * self.others) / self.share
    }
}

/// What the periods have.
struct Judged {
    found: Response,
    points: Vec<DosePoint>,
    as_found: Option<ResponseFigure>,
    far_memory: Option<f64>,
}

impl Judged {
    fn new(
        periods: &[ResponsePeriod],
        nodes: &DoseNodes,
        direction: Direction,
        taking_part: &Participants,
    ) -> Self {
        let (mut counted, mut beside) = (Vec::new(), Vec::new());
        for period in periods.iter().filter(|period| period.dropped.is_none()) {
            let (Some(figure), Some(dose)) = (period.figure, period.dose) else { continue };
            let is_rate = direction == Direction::MoreIsBetter;
            let log_time = if is_rate { -figure.ln() } else { figure.ln() };
            let (block, dose) = (period.block, taking_part.dose(dose));
            match period.wanted {
                Some(wanted) => counted.push((wanted, DosePeriod { block, dose, log_time })),
                None => beside.push((block, log_time)),
            }
        }
        let all: Vec<DosePeriod> = counted.iter().map(|(_, period)| *period).collect();
        let of_part = response(&all, [nodes.near.ns, nodes.far.ns]);
        let found_of_part = relative_time(&beside, &all, &of_part);
        let mut points = dose_points(&counted, &of_part);
        let far_memory = mean_cost(&counted, &of_part);
        let share = taking_part.share;
        let part = found_of_part.map(|as_found| PartOfPages { share, as_found });
        let Some(part) = part.filter(|part| part.share < ALL) else {
            return Self { found: of_part, points, as_found: found_of_part, far_memory };
        };
        points.iter_mut().for_each(|point| point.time = part.time(point.time));
        let as_found = Some(part.time_as_found());
        Self { found: part.response(&of_part), points, as_found, far_memory }
    }
}

fn mean_cost(counted: &[(u32, DosePeriod)], found: &Response) -> Option<f64> {
    let is_known =
        matches!(found.verdict, ResponseVerdict::Matters | ResponseVerdict::DoesNotMatter);
    let times: Option<Vec<f64>> =
        counted.iter().map(|(_, period)| Some(found.time_at(period.dose)?.value - 1.0)).collect();
    let times = times.filter(|times| is_known && !times.is_empty())?;
    Some(times.iter().sum::<f64>() / times.len() as f64)
}

impl Run<'_> {
    fn as_found(&self, mover: &Mover<'_, '_>) -> Result<f64, ExplainError> {
        let (before, began) = (self.threads(mover), Instant::now());
        while began.elapsed() < SETTLING {
            pause(SETTLING, self.interrupt)?;
        }
        let places = self.places(mover, &before, &self.by_node(mover));
        Ok(mover.nodes.dose(&places).unwrap_or(mover.nodes.near.ns))
    }

    /// As many blocks as were asked for, or as the budget has time for.
    fn blocks(&self, mover: &mut Mover<'_, '_>) -> Result<Vec<ResponsePeriod>, ExplainError> {
        let began = Instant::now();
        let period = self.settings.period + SETTLING;
        let one_block = period * PER_BLOCK;
        let least = one_block * MIN_RESPONSE_BLOCKS;
        if self.settings.budget.is_some_and(|budget| budget < least) {
            return Err(ExplainError::SmallBudget { least_s: least.as_secs() + 5 });
        }
        let blocks = match self.settings.budget {
            Some(budget) => (budget.as_secs_f64() / one_block.as_secs_f64()).clamp(1.0, 1e4) as u32,
            None => self.settings.blocks,
        };
        (self.report)(TrialEvent::Began(u64::from(blocks) * u64::from(PER_BLOCK)));
        mover.rehearse(self.settings.max_cost, period.as_secs_f64())?;
        // Moving may split huge pages: all doses are measured after all pages have moved.
        mover.place(Some(1.0), 0, 2)?;
        let (mut periods, mut turn) = (Vec::new(), 3);
        for block in 0..blocks {
            let is_over = |budget: Duration| began.elapsed() + one_block > budget;
            if block >= MIN_RESPONSE_BLOCKS && self.settings.budget.is_some_and(is_over) {
                break;
            }
            for wanted in order(block, self.settings.seed) {
                let share = wanted.map(|percent| f64::from(percent) / 100.0);
                let moved = mover.place(share, block, turn)?;
                periods.push(self.period(mover, block, wanted, moved)?);
                turn += 1;
                (self.report)(TrialEvent::Period);
            }
        }
        Ok(periods)
    }

    fn period(
        &self,
        mover: &Mover<'_, '_>,
        block: u32,
        wanted: Option<u32>,
        moved: Moved,
    ) -> Result<ResponsePeriod, ExplainError> {
        pause(SETTLING, self.interrupt)?;
        let (threads, pages) = (self.threads(mover), self.by_node(mover));
        let figure = self.reader.figure(self.settings.period, self.interrupt)?;
        let after = self.by_node(mover);
        let places = self.places(mover, &threads, &after);
        let (figure, dose) = (
            figure.filter(|figure| figure.is_finite() && *figure > 0.0),
            mover.nodes.dose(&places),
        );
        let dropped = match (figure, dose) {
            (None, _) => Some(DroppedDose::NoFigure),
            (_, None) => Some(DroppedDose::NoDose),
            _ if changed(&pages, &after) > MOVED => Some(DroppedDose::PagesMoved),
            _ => None,
        };
        Ok(ResponsePeriod {
            block,
            wanted,
            far_share: far_share(mover, &after),
            dose,
            figure,
            dropped,
            moved_bytes: moved.bytes,
            moving_s: moved.seconds,
        })
    }

    fn threads(&self, mover: &Mover<'_, '_>) -> Vec<Vec<ThreadReading>> {
        let pids = mover.subjects.all.iter().map(|subject| subject.note.pid);
        pids.map(|pid| sample_threads(&Process::known(self.source, pid)).0).collect()
    }

    /// Where all pages are now, those that are new included.
    fn by_node(&self, mover: &Mover<'_, '_>) -> Vec<BytesByNode> {
        let pids = mover.subjects.all.iter().map(|subject| subject.note.pid);
        pids.map(|pid| PageLayout::read(self.source, pid, self.page))
            .map(|layout| layout.map_or_else(|_| BytesByNode::default(), |layout| layout.by_node()))
            .collect()
    }

    /// Where threads ran since these readings, and where pages are.
    fn places(
        &self,
        mover: &Mover<'_, '_>,
        before: &[Vec<ThreadReading>],
        pages: &[BytesByNode],
    ) -> Places {
        let node_of = |cpu: CpuId| self.summaries.node_of(cpu);
        let now = self.threads(mover);
        let weights = before.iter().zip(now).map(|(before, now)| {
            let ticks: BTreeMap<u32, u64> =
                before.iter().map(|thread| (thread.tid, thread.ticks)).collect();
            thread_weights(&now, Some(&ticks), node_of)
        });
        weights.zip(pages).map(|(weights, pages)| (weights, shares(pages))).collect()
    }
}

fn shares(pages: &BytesByNode) -> Vec<NodeShare> {
    let all = pages.total().0 as f64;
    pages.iter().map(|(node, bytes)| NodeShare { node, share: bytes.0 as f64 / all }).collect()
}

fn far_share(mover: &Mover<'_, '_>, pages: &[BytesByNode]) -> f64 {
    let all: Bytes = pages.iter().map(BytesByNode::total).sum();
    let far = mover.nodes.all.iter().zip(pages).map(|(process, pages)| pages.on(process.far));
    far.sum::<Bytes>().0 as f64 / all.0.max(1) as f64
}

/// The share of memory whose node changed: half of the sum of all differences of shares.
fn changed(before: &[BytesByNode], after: &[BytesByNode]) -> f64 {
    let all: Bytes = before.iter().map(BytesByNode::total).sum();
    let mut sum = 0.0;
    for (before, after) in before.iter().zip(after) {
        let (was, is) = (before.total().0 as f64, after.total().0.max(1) as f64);
        for node in before.nodes().union(&after.nodes()).iter() {
            let share = after.on(node).0 as f64 / is - before.on(node).0 as f64 / was.max(1.0);
            sum += share.abs() / 2.0 * was;
        }
    }
    sum / all.0.max(1) as f64
}
