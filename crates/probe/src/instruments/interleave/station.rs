//! What a worker process measures interleaved memory with: threads that stream through it, and chases.

use nearfar_model::Place;

use super::UNIT_BYTES;
use super::berths::{Berths, New};
use super::chases::Chases;
use super::setup::{InterleaveSetup, Treatment};
use crate::answer::{Answer, Batch, PlanScope, Visit};
use crate::crew::Duty;
use crate::streams::Kernel;
use crate::worker::messages::Messages;
use crate::worker::sliced::{SlicedSample, spare_attempts};
use crate::worker::station::{Attempt, Prepare, SPARE_ATTEMPTS, Station, distinct};

/// Threads with their memory, and chases.
pub(super) struct InterleaveStation<'s> {
    setup: &'s InterleaveSetup,
    berths: Berths<'s>,
    chases: Chases<'s>,
    sample: SlicedSample,
}

impl<'s> InterleaveStation<'s> {
    /// Starts threads on every row that streams.
    pub(super) fn prepare(setup: &'s InterleaveSetup, batch: &Batch, messages: &mut Messages<'_>) -> Option<Self> {
        let streams = |visit: &&Visit| setup.treatments[visit.place.treatment].kernel.is_some();
        let rows = distinct(batch.visits.iter().filter(streams).map(|visit| visit.place.row));
        match Berths::new(setup, &rows) {
            Ok(berths) => {
                let chases = Chases::new(setup, batch.seed);
                Some(Self { setup, berths, chases, sample: SlicedSample::default() })
            }
            Err(why) => {
                rows.iter().for_each(|&row| messages.send(&Answer::row_unavailable(row, why.clone())));
                None
            }
        }
    }

    /// One window of all of a row's CPUs.
    fn stream(&mut self, visit: Visit, weights: &[u32], kernel: Kernel, messages: &mut Messages<'_>) -> Attempt {
        let berths = match self.berths.of(visit.place.row, weights) {
            Err(why) => return Attempt::Unavailable(why),
            Ok((berths, new)) => {
                report(visit, new, messages);
                berths
            }
        };
        let duty = |berth| Duty { berth, kernel, isa: self.setup.isa, pause: 0 };
        let duties: Vec<Duty> = berths.into_iter().map(duty).collect();
        match self.berths.crew().run(&duties, self.setup.window) {
            Err(error) => error.into(),
            Ok(rates) => {
                let ns = UNIT_BYTES * 1e9 / rates.program_bytes_per_s();
                Attempt::Taken(visit.sample(self.setup.rows[visit.place.row][0], 0, ns))
            }
        }
    }

    /// One chase from one of a row's CPUs.
    fn chase(&mut self, visit: Visit, weights: &[u32], messages: &mut Messages<'_>) -> Attempt {
        let row = visit.place.row;
        if let Err(why) = self.chases.draw_cpu(row) {
            messages.send(&Answer::row_unavailable(row, why));
            return Attempt::Over;
        }
        match self.chases.ready(weights) {
            Err(why) => return Attempt::Unavailable(why),
            Ok(new) => report(visit, new, messages),
        }
        let Some((cpu, chase)) = self.chases.of(row, weights) else { return Attempt::Over };
        self.sample.attempt(visit, 0, cpu, chase, messages)
    }
}

impl Prepare for InterleaveSetup {
    fn station<'s>(&'s self, batch: &'s Batch, messages: &mut Messages<'_>) -> Option<Box<dyn Station + 's>> {
        Some(Box::new(InterleaveStation::prepare(self, batch, messages)?))
    }
}

impl Station for InterleaveStation<'_> {
    fn attempt(&mut self, visit: Visit, messages: &mut Messages<'_>) -> Attempt {
        let setup = self.setup;
        let Treatment { weights, kernel } = &setup.treatments[visit.place.treatment];
        match kernel {
            Some(kernel) => self.stream(visit, weights, *kernel, messages),
            None => self.chase(visit, weights, messages),
        }
    }

    fn spare_attempts(&self, visit: Visit) -> u64 {
        let Treatment { weights, kernel } = &self.setup.treatments[visit.place.treatment];
        let chase = self.chases.division(weights).filter(|_| kernel.is_none());
        chase.map_or(SPARE_ATTEMPTS, |division| spare_attempts(division.slices))
    }

    /// Each page is bound to its node and proven when it is placed.
    fn moved(&self) -> Vec<(PlanScope, String)> {
        vec![]
    }
}

fn report(visit: Visit, new: Option<New>, messages: &mut Messages<'_>) {
    let Some(New { backing, buffers, note }) = new else { return };
    let Place { column, treatment, .. } = visit.place;
    messages.send(&Answer::Placed { column, treatment, pages: buffers, backing, note });
}

#[cfg(test)]
mod tests {
    use nearfar_model::{Bytes, NodeId};

    use super::super::setup::tests::setup;
    use super::*;
    use crate::answer::PlanScope;
    use crate::answered::{assert_answered, visit};

    fn answers(setup: &InterleaveSetup, treatments: &[usize]) -> Vec<Answer> {
        let visits = treatments.iter().map(|&treatment| visit(0, 0, treatment)).collect();
        crate::answered::answers(setup, 1, visits)
    }

    #[test]
    fn streams_and_chases_of_spread_memory_are_answered() {
        let _back = nearfar_place::AffinityGuard::stay().unwrap();
        let visits: Vec<Visit> = (0..3).map(|treatment| visit(0, 0, treatment)).collect();
        assert_answered(&visits, &answers(&setup(Bytes::mib(32)), &[0, 1, 2]));
    }

    #[test]
    #[ignore = "long: needs calm windows, and asserts rates"]
    fn spread_memory_has_bandwidth_and_latency() {
        let _back = nearfar_place::AffinityGuard::stay().unwrap();
        let setup = setup(Bytes::mib(32));
        let mut costs = [0.0; 3];
        // Other programs disturb some of them.
        for _ in 0..100 {
            let missing: Vec<usize> = (0..3).filter(|&treatment| costs[treatment] == 0.0).collect();
            for answer in answers(&setup, &missing) {
                if let Answer::Sample(sample) = answer {
                    costs[sample.place.treatment] = sample.value;
                }
            }
            if costs.iter().all(|&cost| cost > 0.0) {
                break;
            }
        }
        let rates = [costs[0], costs[1]].map(|cost| UNIT_BYTES * 1e9 / cost);
        assert!(rates.iter().all(|rate| (1e7..1e13).contains(rate)), "{rates:?}");
        assert!((1.0..1e6).contains(&costs[2]), "{costs:?}");
    }

    #[test]
    fn memory_is_placed_once_for_streams_and_once_for_chases() {
        let _back = nearfar_place::AffinityGuard::stay().unwrap();
        let said = answers(&setup(Bytes::mib(4)), &[0, 1, 2, 0, 1, 2]);
        let placed: Vec<_> = said.iter().filter(|answer| matches!(answer, Answer::Placed { .. })).collect();
        assert_eq!(placed.len(), 2, "{placed:?}");
        let treatment = |answer: &&Answer| if let Answer::Placed { treatment, .. } = answer { *treatment } else { 9 };
        assert_eq!(placed.iter().map(treatment).collect::<Vec<_>>(), [0, 2], "each with its note");
    }

    #[test]
    fn a_node_that_is_not_there_and_one_that_is_full_are_told() {
        let mut absent = setup(Bytes::mib(4));
        absent.nodes[0].node = NodeId(900);
        let mut full = setup(Bytes::mib(256));
        full.nodes.iter_mut().for_each(|node| node.free = Some(Bytes::mib(40)));
        for (setup, word) in [(absent, "900"), (full, "can be had there")] {
            for treatment in [0, 2] {
                let said = answers(&setup, &[treatment]);
                let told = |answer: &Answer| match answer {
                    Answer::Unavailable { scope: PlanScope::Cell(place), why } => {
                        *place == visit(0, 0, treatment).place && why.contains(word)
                    }
                    _ => false,
                };
                assert!(said.iter().any(told), "{said:?}");
            }
        }
    }
}
