//! The visit loop of a worker process: every instrument's visits go through it.

use std::collections::BTreeSet;

use nearfar_model::{Place, Sample, Shape};

use crate::answer::{Answer, Batch, DropReason, PlanScope, Visit};
use crate::crew::WindowError;
use crate::probe_error::ProbeError;
use crate::worker::messages::Messages;

/// What a worker process is told of one instrument: the same for every process of a survey.
pub(crate) trait WorkSetup {
    /// Rows, columns and treatments that there are to visit.
    fn shape(&self) -> Shape;

    /// Refuses what cannot be measured, as another version or a mistake may ask for.
    fn check(&self) -> Result<(), ProbeError>;
}

/// A setup that a worker process can measure by.
pub(crate) trait Prepare: WorkSetup {
    /// Gets CPUs, threads and memory ready for a batch. Messages report what cannot be; `None`
    /// where that is all of it.
    fn station<'s>(&'s self, batch: &'s Batch, messages: &mut Messages<'_>) -> Option<Box<dyn Station + 's>>;
}

/// Disturbed attempts that a visit may have and still go on, unless a station decides otherwise.
pub(crate) const SPARE_ATTEMPTS: u64 = 2;

/// CPUs, threads and memory of one process, ready to be measured with.
pub(crate) trait Station {
    /// Tries to take a visit's sample.
    fn attempt(&mut self, visit: Visit, messages: &mut Messages<'_>) -> Attempt;

    /// Disturbed attempts that a visit may have and still go on; asked again after each of them.
    fn spare_attempts(&self, _: Visit) -> u64 {
        SPARE_ATTEMPTS
    }

    /// What has moved to another node since it was placed, and what was measured with it.
    fn moved(&self) -> Vec<(PlanScope, String)>;
}

/// What an attempt came to.
#[derive(Debug, PartialEq)]
pub(crate) enum Attempt {
    /// An undisturbed sample.
    Taken(Sample),
    /// It was disturbed.
    Dropped(DropReason),
    /// The place cannot be measured.
    Unavailable(String),
    /// The visit is over without a sample to report: its row or column is unavailable, as was
    /// reported before, or its samples were reported one by one.
    Over,
}

impl From<WindowError> for Attempt {
    fn from(error: WindowError) -> Self {
        match error {
            WindowError::Disturbed(reason) => Self::Dropped(reason),
            WindowError::Failed(error) => Self::Unavailable(error.to_string()),
        }
    }
}

/// Makes the visits of a batch, and reports what came of each: its disturbed attempts, and at most
/// one sample.
pub(crate) fn measure(setup: &dyn Prepare, batch: &Batch, messages: &mut Messages<'_>) {
    let Some(mut station) = setup.station(batch, messages) else { return };
    for &visit in &batch.visits {
        if messages.have_failed() {
            return;
        }
        make(visit, &mut *station, messages);
    }
    for (scope, why) in station.moved() {
        messages.send(&Answer::Unavailable { scope, why });
    }
}

fn make(visit: Visit, station: &mut dyn Station, messages: &mut Messages<'_>) {
    let mut dropped = 0;
    while dropped == 0 || dropped <= station.spare_attempts(visit) {
        match station.attempt(visit, messages) {
            Attempt::Dropped(reason) => {
                messages.send(&Answer::dropped(visit, reason));
                dropped += 1;
            }
            Attempt::Taken(sample) => return messages.send(&Answer::Sample(sample)),
            Attempt::Unavailable(why) => return messages.send(&Answer::cell_unavailable(visit, why)),
            Attempt::Over => return,
        }
    }
}

/// The rows, columns or others that visits have, each once and in order.
pub(crate) fn distinct<T: Ord>(of_visits: impl Iterator<Item = T>) -> Vec<T> {
    of_visits.collect::<BTreeSet<T>>().into_iter().collect()
}

/// The places that a batch visits where this is true.
pub(crate) fn places(batch: &Batch, is_there: impl Fn(Place) -> bool) -> BTreeSet<Place> {
    batch.visits.iter().map(|visit| visit.place).filter(|place| is_there(*place)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answered::visit;

    /// Gives these attempts one after the other.
    struct Script(Vec<Attempt>);

    impl Station for Script {
        fn attempt(&mut self, _: Visit, _: &mut Messages<'_>) -> Attempt {
            self.0.remove(0)
        }

        fn moved(&self) -> Vec<(PlanScope, String)> {
            vec![]
        }
    }

    /// What is reported of these attempts, and how many were not made.
    fn made(attempts: Vec<Attempt>) -> (Vec<Answer>, usize) {
        let (mut output, mut script) = (Vec::new(), Script(attempts));
        let mut messages = Messages::new(&mut output);
        make(visit(0, 0, 0), &mut script, &mut messages);
        messages.finish().unwrap();
        (crate::answered::read(&output), script.0.len())
    }

    #[test]
    fn a_visit_ends_with_its_sample_or_its_last_spare_attempt() {
        let visit = visit(0, 0, 0);
        let sample = visit.sample(nearfar_model::CpuId(0), 0, 5.0);
        let dropped = || Attempt::Dropped(DropReason::Stalled);
        let stalled = Answer::dropped(visit, DropReason::Stalled);
        let unavailable = Answer::cell_unavailable(visit, "full".to_owned());
        assert_eq!(
            made(vec![dropped(), Attempt::Taken(sample), dropped()]),
            (vec![stalled.clone(), Answer::Sample(sample)], 1)
        );
        assert_eq!(made(vec![dropped(), dropped(), dropped(), Attempt::Over]), (vec![stalled.clone(); 3], 1));
        assert_eq!(
            made(vec![dropped(), Attempt::Unavailable("full".to_owned()), dropped()]),
            (vec![stalled, unavailable], 1)
        );
        assert_eq!(made(vec![Attempt::Over, dropped()]), (vec![], 1));
    }
}
