//! The order of runs, and when there are enough of them.
//!
//! Randomised complete blocks: each runs every configuration once, in random order, the reference
//! among them; so it returns through the whole sweep, and shows how the machine drifts. Blocks go
//! on until each median is known to the precision asked for: on precision only, never on a
//! difference.

use std::time::Duration;

use fastrand::Rng;

use crate::configuration::Configuration;
use crate::document::Sweep;
use crate::error::SweepError;
use crate::limits::{Limits, Stop};
use crate::metric::Metric;
use crate::record::{Failure, Ran, Run};

/// Runs a configuration once: on this machine, or as a replay.
pub trait Runner {
    /// Runs it. An error ends the sweep.
    fn run(&mut self, configuration: &Configuration) -> Result<Attempt, SweepError>;
}

/// What came of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Attempt {
    /// It ran, and ended somehow.
    Ran(Ran),
    /// It could not begin: its placement was refused, or its program is not there.
    Refused(Failure),
    /// Somebody interrupted it: it does not count.
    Interrupted,
}

/// Where a sweep stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress<'a> {
    /// Runs done, of this block and of all blocks.
    pub runs: usize,
    /// The block that is under way, from 1.
    pub block: u32,
    /// Blocks at most.
    pub most_blocks: u32,
    /// The run that comes next; none at the end of a block.
    pub next: Option<&'a str>,
    /// What is left, if everything goes on as before.
    pub left: Option<Duration>,
}

/// A configuration that has failed so often on end is given up, if it never succeeded.
const GIVEN_UP_AFTER: usize = 5;

/// Hears of each run (and keeps the file), and says whether to go on.
pub type Observer<'o> = &'o mut dyn FnMut(&Sweep, &Progress<'_>) -> Result<bool, SweepError>;

/// Goes on with a sweep until it is done, and judges it.
pub fn sweep(
    document: &mut Sweep,
    runner: &mut dyn Runner,
    metric: Option<&Metric>,
    limits: &Limits,
    clock: &dyn Fn() -> Duration,
    observe: Observer<'_>,
) -> Result<Stop, SweepError> {
    let mut blocks = BlockRunner { metric, limits, clock, begun: clock(), block_time: None };
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
    /// What the last whole block took.
    block_time: Option<Duration>,
}

impl BlockRunner<'_> {
    fn blocks(
        &mut self,
        document: &mut Sweep,
        runner: &mut dyn Runner,
        observe: Observer<'_>,
    ) -> Result<Stop, SweepError> {
        // A block that was interrupted is finished first.
        let mut block = document.blocks().saturating_sub(1);
        loop {
            if block >= self.limits.most {
                return Ok(Stop::RunLimit);
            }
            if self.is_out_of_time() {
                return Ok(Stop::TimeLimit);
            }
            let began = (self.clock)();
            for at in order(document, block) {
                let next = document.configurations[at].configuration.id.clone();
                if !observe(document, &self.progress(document, block, Some(&next)))? {
                    return Ok(Stop::Interrupted);
                }
                let order = document.runs() as u32;
                let run = match runner.run(&document.configurations[at].configuration)? {
                    Attempt::Ran(ran) => Run::of(&ran, block, order, self.metric),
                    Attempt::Refused(why) => Run::refused(why, block, order),
                    Attempt::Interrupted => return Ok(Stop::Interrupted),
                };
                document.configurations[at].configuration.runs.push(run);
            }
            self.block_time = Some((self.clock)() - began);
            document.summarise();
            if !observe(document, &self.progress(document, block, None))? {
                return Ok(Stop::Interrupted);
            }
            block += 1;
            if document.configurations.iter().all(|one| is_given_up(&one.configuration)) {
                return Ok(Stop::NothingRuns);
            }
            if block >= self.limits.fewest && is_precise(document, self.limits.precision) {
                return Ok(Stop::Precise);
            }
        }
    }

    fn progress<'n>(&self, document: &Sweep, block: u32, next: Option<&'n str>) -> Progress<'n> {
        let left = self.left(block + u32::from(next.is_none()));
        Progress {
            runs: document.runs(),
            block: block + 1,
            most_blocks: self.limits.most,
            next,
            left,
        }
    }

    /// What is left of the blocks, from this one on, and of the budget.
    fn left(&self, block: u32) -> Option<Duration> {
        let blocks = self.block_time.map(|time| time * self.limits.most.saturating_sub(block));
        let budget =
            self.limits.budget().map(|budget| (self.begun + budget).saturating_sub((self.clock)()));
        blocks.into_iter().chain(budget).min()
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
    let going = document.configurations.iter().filter(|one| !is_given_up(&one.configuration));
    going.into_iter().all(|one| {
        let (Some(median), Some([low, high])) = (one.median, one.ci95) else { return false };
        (high - low) / 2.0 <= precision * median
    })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::record::{End, Printed, Used};

    /// Each run takes ten seconds.
    struct Clockwork<'a>(&'a Cell<Duration>);

    impl Runner for Clockwork<'_> {
        fn run(&mut self, _: &Configuration) -> Result<Attempt, SweepError> {
            self.0.set(self.0.get() + Duration::from_secs(10));
            Ok(Attempt::Ran(Ran {
                wall_s: 10.0,
                used: Used::default(),
                allocations: nearfar_machine::Allocations::default(),
                remote_share: None,
                end: End::Exited { code: 0 },
                left_behind: 0,
                printed: Printed::default(),
            }))
        }
    }

    #[test]
    fn what_is_left_at_the_end_of_a_block_are_the_blocks_after_it() {
        let mut document: Sweep = serde_json::from_str(include_str!("sketch.json")).unwrap();
        document.configurations.iter_mut().for_each(|one| one.configuration.runs.clear());
        let now = Cell::new(Duration::ZERO);
        let limits = Limits { fewest: 3, most: 3, precision: 0.0, budget_s: None };
        let mut left = Vec::new();
        let clock = || now.get();
        let observe = &mut |_: &Sweep, progress: &Progress<'_>| {
            left.extend(progress.next.is_none().then_some(progress.left).flatten());
            Ok(true)
        };
        sweep(&mut document, &mut Clockwork(&now), None, &limits, &clock, observe).unwrap();
        // Two configurations: a block takes twenty seconds.
        assert_eq!(left, [40, 20, 0].map(Duration::from_secs));
    }
}
