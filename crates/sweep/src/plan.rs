//! The order of runs, and when there are enough of them.
//!
//! Randomised complete blocks: each block runs every configuration once, in random order. The
//! reference is one of them, so its runs show how the machine drifts. Blocks repeat until each
//! median has the requested precision. A difference never stops a sweep.

mod forecast;

use std::time::Duration;

use fastrand::Rng;

use crate::configuration::Configuration;
use crate::document::Sweep;
use crate::error::SweepError;
use crate::limits::{Limits, SweepStopReason};
use crate::metric::Metric;
use crate::record::{RunFailure, RunRecord, SweepRun};
use forecast::runs_left;

/// Runs a configuration once: on this machine, or as a replay.
pub trait Runner {
    /// Runs it. An error ends the sweep.
    fn run(&mut self, configuration: &Configuration) -> Result<RunAttempt, SweepError>;
}

/// What came of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum RunAttempt {
    /// It ran, and ended somehow.
    Ran(Box<RunRecord>),
    /// It could not begin: its placement was refused, or its program is not there.
    Refused(RunFailure),
    /// The user interrupted it: it does not count.
    Interrupted,
}

/// How far a sweep is.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepProgress<'a> {
    /// Runs that are done, of all blocks.
    pub runs: usize,
    /// Runs in all, as expected now.
    pub expected_runs: usize,
    /// Whether fewer runs than expected may be enough.
    pub is_upper_bound: bool,
    /// The configuration that runs next; none at the end of a block.
    pub next: Option<&'a str>,
    /// Expected time until the end; none before the first run of this process.
    pub left: Option<Duration>,
}

/// A configuration that has failed so often on end is given up, if it never succeeded.
const GIVEN_UP_AFTER: usize = 5;

/// Called before each run and after each block; returns whether to go on.
pub type Observer<'o> = &'o mut dyn FnMut(&Sweep, &SweepProgress<'_>) -> Result<bool, SweepError>;

/// Goes on with a sweep until it is done, and judges it.
pub fn sweep(
    document: &mut Sweep,
    runner: &mut dyn Runner,
    metric: Option<&Metric>,
    limits: &Limits,
    clock: &dyn Fn() -> Duration,
    observe: Observer<'_>,
) -> Result<SweepStopReason, SweepError> {
    let mut blocks = BlockRunner {
        metric,
        limits,
        clock,
        begun: clock(),
        runs_before: document.runs(),
        block_time: None,
    };
    let stop = blocks.blocks(document, runner, observe)?;
    document.stopped = Some(stop);
    document.judge();
    Ok(stop)
}

/// How blocks follow one another.
struct BlockRunner<'a> {
    metric: Option<&'a Metric>,
    limits: &'a Limits,
    clock: &'a dyn Fn() -> Duration,
    begun: Duration,
    /// Runs of a sweep that is resumed.
    runs_before: usize,
    /// What the last whole block took.
    block_time: Option<Duration>,
}

impl BlockRunner<'_> {
    fn blocks(
        &mut self,
        document: &mut Sweep,
        runner: &mut dyn Runner,
        observe: Observer<'_>,
    ) -> Result<SweepStopReason, SweepError> {
        // A block that was interrupted is finished first.
        let mut block = document.blocks().saturating_sub(1);
        loop {
            if block >= self.limits.most {
                return Ok(SweepStopReason::RunLimit);
            }
            if self.is_out_of_time() {
                return Ok(SweepStopReason::TimeLimit);
            }
            let began = (self.clock)();
            let order = order(document, block);
            for (done, &at) in order.iter().enumerate() {
                let next = document.configurations[at].configuration.id.clone();
                let of_block = order.len() - done;
                if !observe(document, &self.progress(document, block, of_block, Some(&next)))? {
                    return Ok(SweepStopReason::Interrupted);
                }
                let order = document.runs() as u32;
                let run = match runner.run(&document.configurations[at].configuration)? {
                    RunAttempt::Ran(ran) => SweepRun::new(&ran, block, order, self.metric),
                    RunAttempt::Refused(why) => SweepRun::refused(why, block, order),
                    RunAttempt::Interrupted => return Ok(SweepStopReason::Interrupted),
                };
                document.configurations[at].configuration.runs.push(run);
            }
            self.block_time = Some((self.clock)() - began);
            document.summarise();
            if !observe(document, &self.progress(document, block, 0, None))? {
                return Ok(SweepStopReason::Interrupted);
            }
            block += 1;
            if document
                .configurations
                .iter()
                .all(|configuration| is_given_up(&configuration.configuration))
            {
                return Ok(SweepStopReason::NothingRuns);
            }
            if block >= self.limits.fewest && is_precise(document, self.limits.precision) {
                return Ok(SweepStopReason::Precise);
            }
        }
    }

    fn progress<'n>(
        &self,
        document: &Sweep,
        block: u32,
        of_block: usize,
        next: Option<&'n str>,
    ) -> SweepProgress<'n> {
        let left = runs_left(document, self.limits, block, of_block);
        let runs = document.runs();
        let elapsed = (self.clock)() - self.begun;
        let done = u32::try_from(runs - self.runs_before).ok().filter(|&done| done > 0);
        let time = done.map(|done| (elapsed / done).mul_f64(left.count as f64));
        let budget = self.limits.budget().map(|budget| budget.saturating_sub(elapsed));
        SweepProgress {
            runs,
            expected_runs: runs + left.count,
            is_upper_bound: left.is_upper_bound,
            next,
            left: time.into_iter().chain(budget).min(),
        }
    }

    fn is_out_of_time(&self) -> bool {
        // The first block is always run: without one there is no answer.
        let limits = self.limits.budget().zip(self.block_time);
        limits.is_some_and(|(budget, time)| (self.clock)() - self.begun + time > budget)
    }
}

/// Those that have no run in this block yet, in the block's own random order.
fn order(document: &Sweep, block: u32) -> Vec<usize> {
    let mut rng =
        Rng::with_seed(document.seed ^ u64::from(block).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut order: Vec<usize> = (0..document.configurations.len()).collect();
    rng.shuffle(&mut order);
    // Settings of the machine take long to switch, and disturb: each is set once in a block, in
    // random order as well.
    let system = |at: usize| &document.configurations[at].configuration.system;
    let drawn = order.clone();
    order.sort_by_cached_key(|&at| drawn.iter().position(|&first| system(first) == system(at)));
    order.retain(|&at| {
        let configuration = &document.configurations[at].configuration;
        !is_given_up(configuration) && configuration.runs.iter().all(|run| run.block != block)
    });
    order
}

fn is_given_up(configuration: &Configuration) -> bool {
    configuration.runs.len() >= GIVEN_UP_AFTER && configuration.successes().next().is_none()
}

fn is_precise(document: &Sweep, precision: f64) -> bool {
    let going = document
        .configurations
        .iter()
        .filter(|configuration| !is_given_up(&configuration.configuration));
    going.into_iter().all(|one| {
        let (Some(median), Some([low, high])) = (one.median, one.ci95) else { return false };
        (high - low) / 2.0 <= precision * median
    })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::record::{ProgramOutput, ResourceUsage, RunEnd};

    /// Each run takes ten seconds.
    struct Clockwork<'a>(&'a Cell<Duration>);

    impl Runner for Clockwork<'_> {
        fn run(&mut self, _: &Configuration) -> Result<RunAttempt, SweepError> {
            self.0.set(self.0.get() + Duration::from_secs(10));
            Ok(RunAttempt::Ran(Box::new(RunRecord {
                wall_s: 10.0,
                used: ResourceUsage::default(),
                allocations: nearfar_machine::Allocations::default(),
                remote_share: None,
                looked_s: 0.0,
                slowed_by_looks: None,
                interrupts: None,
                end: RunEnd::Exited { code: 0 },
                left_behind: 0,
                printed: ProgramOutput::default(),
            })))
        }
    }

    #[test]
    fn after_a_block_the_later_blocks_are_left() {
        let mut document: Sweep = serde_json::from_str(include_str!("sketch.json")).unwrap();
        document
            .configurations
            .iter_mut()
            .for_each(|configuration| configuration.configuration.runs.clear());
        let now = Cell::new(Duration::ZERO);
        let limits = Limits { fewest: 3, most: 3, precision: 0.0, budget_s: None };
        let (mut left, mut first) = (Vec::new(), None);
        let clock = || now.get();
        let observe = &mut |_: &Sweep, progress: &SweepProgress<'_>| {
            first.get_or_insert((progress.left, progress.expected_runs, progress.is_upper_bound));
            left.extend(progress.next.is_none().then_some(progress.left).flatten());
            Ok(true)
        };
        sweep(&mut document, &mut Clockwork(&now), None, &limits, &clock, observe).unwrap();
        // Two configurations: a block takes twenty seconds.
        assert_eq!(left, [40, 20, 0].map(Duration::from_secs));
        assert_eq!(first, Some((None, 6, false)));
    }
}
