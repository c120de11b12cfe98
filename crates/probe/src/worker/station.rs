//! The visit loop of a worker process, for every instrument.

use std::collections::BTreeSet;

use nearfar_model::{CellIndex, MatrixShape, Sample, Unit};

use crate::probe_error::ProbeError;
use crate::thread_team::WindowError;
use crate::worker::messages::Messages;
use crate::worker_message::{Batch, DropReason, Dropped, PlanScope, Visit, WorkerMessage};

/// The setup of one instrument: the same for every process of a survey.
pub(crate) trait WorkSetup {
    /// The rows, columns and treatments.
    fn shape(&self) -> MatrixShape;

    /// Rejects a setup that cannot be measured, from another version or by mistake.
    fn check(&self) -> Result<(), ProbeError>;
}

/// Fails if a setup is not sound.
pub(crate) fn sound(is_sound: bool, what: &str) -> Result<(), ProbeError> {
    if is_sound { Ok(()) } else { Err(ProbeError::BadJob(what.to_owned())) }
}

/// A setup that a worker process can measure with.
pub(crate) trait Prepare: WorkSetup {
    /// Prepares CPUs, threads and memory for a batch. Messages report what is unavailable; `None`
    /// if nothing is left.
    fn station<'s>(&'s self, batch: &'s Batch, messages: &mut Messages<'_>) -> ReadyStation<'s>;
}

/// Disturbed attempts per visit, unless a station has its own limit.
pub(crate) const SPARE_ATTEMPTS: u64 = 2;

/// CPUs, threads and memory of one process, ready to measure with.
pub(crate) trait Station {
    /// Tries to take a visit's sample without a disturbance.
    fn attempt(&mut self, visit: Visit, messages: &mut Messages<'_>) -> Result<Sample, NoSample>;

    /// Disturbed attempts that a visit may have; queried after each.
    fn spare_attempts(&self, _: Visit) -> u64 {
        SPARE_ATTEMPTS
    }

    /// Scopes whose memory has moved to another node since placement, and how. Empty if threads
    /// verified their pages when placed, and have bound them.
    fn moved(&self) -> Vec<(Vec<PlanScope>, String)> {
        vec![]
    }
}

/// `None` if nothing is left to measure with.
pub(crate) type ReadyStation<'s> = Option<Box<dyn Station + 's>>;

/// Why an attempt gave no sample.
#[derive(Debug, PartialEq)]
pub(crate) enum NoSample {
    Dropped(DropReason),
    /// Disturbed, with the value that it had all the same.
    Rough(DropReason, f64),
    /// The place cannot be measured.
    Unavailable(String),
    /// The visit ends without a sample: its row or column is unavailable, as was reported, or its
    /// samples were reported one by one.
    Over,
}

impl From<DropReason> for NoSample {
    fn from(reason: DropReason) -> Self {
        Self::Dropped(reason)
    }
}

impl From<String> for NoSample {
    fn from(why: String) -> Self {
        Self::Unavailable(why)
    }
}

impl From<WindowError> for NoSample {
    fn from(error: WindowError) -> Self {
        match error {
            WindowError::Disturbed { reason, rough: None } => Self::Dropped(reason),
            WindowError::Disturbed { reason, rough: Some(rates) } => {
                let rate = rates.program_bytes_per_s();
                Self::Rough(reason, Unit::BytesPerSecond.value_ns(rate))
            }
            WindowError::Failed(error) => Self::Unavailable(error.to_string()),
        }
    }
}

/// Makes the visits of a batch, and reports for each its disturbed attempts and at most one sample.
pub(crate) fn measure(setup: &dyn Prepare, batch: &Batch, messages: &mut Messages<'_>) {
    let Some(mut station) = setup.station(batch, messages) else { return };
    for &visit in &batch.visits {
        if messages.has_failed() {
            return;
        }
        make(visit, &mut *station, messages);
    }
    for (scopes, why) in station.moved() {
        messages.report_unavailable(scopes, &why);
    }
}

fn make(visit: Visit, station: &mut dyn Station, messages: &mut Messages<'_>) {
    let mut dropped = 0;
    while dropped == 0 || dropped <= station.spare_attempts(visit) {
        match station.attempt(visit, messages) {
            Err(NoSample::Dropped(reason)) => {
                messages.send(WorkerMessage::dropped(visit, reason));
                dropped += 1;
            }
            Err(NoSample::Rough(reason, value)) => {
                let rough = Some(value).filter(|value| value.is_finite() && *value > 0.0);
                messages.send(WorkerMessage::Dropped(Dropped { visit, reason, rough }));
                dropped += 1;
            }
            Ok(sample) => return messages.send(WorkerMessage::Sample(sample)),
            Err(NoSample::Unavailable(why)) => {
                return messages.report_unavailable([PlanScope::Cell(visit.place)], &why);
            }
            Err(NoSample::Over) => return,
        }
    }
}

/// The distinct values, in order.
pub(crate) fn distinct<T: Ord>(of_visits: impl Iterator<Item = T>) -> Vec<T> {
    of_visits.collect::<BTreeSet<T>>().into_iter().collect()
}

/// The cells that a batch visits and that satisfy `is_there`.
pub(crate) fn cells(batch: &Batch, is_there: impl Fn(CellIndex) -> bool) -> Vec<PlanScope> {
    let places = batch.visits.iter().map(|visit| visit.place).filter(|place| is_there(*place));
    distinct(places.map(PlanScope::Cell))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{unavailable, visit};

    /// Returns these results one after the other.
    struct Script(Vec<Result<Sample, NoSample>>);

    impl Station for Script {
        fn attempt(&mut self, _: Visit, _: &mut Messages<'_>) -> Result<Sample, NoSample> {
            self.0.remove(0)
        }
    }

    /// The messages for these results, and how many results were not used.
    fn made(attempts: Vec<Result<Sample, NoSample>>) -> (Vec<WorkerMessage>, usize) {
        let (mut output, mut script) = (Vec::new(), Script(attempts));
        let mut messages = Messages::new(&mut output);
        make(visit(0, 0, 0), &mut script, &mut messages);
        messages.finish().unwrap();
        (crate::tests::read(&output), script.0.len())
    }

    #[test]
    fn a_visit_ends_with_a_sample_or_its_last_attempt() {
        let visit = visit(0, 0, 0);
        let sample = visit.sample(nearfar_model::CpuId(0), 0, 5.0);
        let dropped = || Err(NoSample::Dropped(DropReason::Stalled));
        let stalled = WorkerMessage::dropped(visit, DropReason::Stalled);
        let unavailable = unavailable(PlanScope::Cell(visit.place), "full");
        assert_eq!(
            made(vec![dropped(), Ok(sample), dropped()]),
            (vec![stalled.clone(), WorkerMessage::Sample(sample)], 1)
        );
        assert_eq!(
            made(vec![dropped(), dropped(), dropped(), Err(NoSample::Over)]),
            (vec![stalled.clone(); 3], 1)
        );
        assert_eq!(
            made(vec![dropped(), Err(NoSample::Unavailable("full".to_owned())), dropped()]),
            (vec![stalled, unavailable], 1)
        );
        assert_eq!(made(vec![Err(NoSample::Over), dropped()]), (vec![], 1));
        let reason = DropReason::Descheduled;
        let rough = |rough| WorkerMessage::Dropped(Dropped { visit, reason, rough });
        let attempts = [7.0, 0.0].map(|value| Err(NoSample::Rough(reason, value)));
        let messages = vec![rough(Some(7.0)), rough(None), WorkerMessage::Sample(sample)];
        assert_eq!(made(attempts.into_iter().chain([Ok(sample)]).collect()), (messages, 0));
    }
}
