//! A worker whose visits are windows or chases over spread memory.

use std::io::{self, Write};

use nearfar_model::Place;

use super::UNIT_BYTES;
use super::berths::{Berths, New};
use super::chases::Chases;
use super::setup::{InterleaveSetup, Treatment};
use crate::answer::{Answer, Batch, Visit};
use crate::crew::Duty;
use crate::streams::Kernel;
use crate::worker::speaker::Speaker;
use crate::worker::visiting;

/// Disturbed attempts that a visit may have and still go on.
const SPARE_ATTEMPTS: u32 = 2;

/// Makes the visits of a batch.
pub(crate) fn work(setup: &InterleaveSetup, batch: &Batch, speaker: &mut Speaker<impl Write>) -> io::Result<()> {
    let streams = |visit: &&Visit| setup.treatments[visit.place.treatment].kernel.is_some();
    let mut rows: Vec<usize> = batch.visits.iter().filter(streams).map(|visit| visit.place.row).collect();
    rows.sort_unstable();
    rows.dedup();
    let mut berths = match Berths::new(setup, &rows) {
        Ok(berths) => berths,
        Err(why) => {
            let gone = |&row: &usize| speaker.say(&Answer::row_unavailable(row, why.clone()));
            return rows.iter().try_for_each(gone);
        }
    };
    let mut chases = Chases::new(setup, batch.seed);
    batch.visits.iter().try_for_each(|&visit| {
        let Treatment { weights, kernel } = &setup.treatments[visit.place.treatment];
        match kernel {
            Some(kernel) => stream(visit, weights, *kernel, setup, &mut berths, speaker),
            None => chase(visit, weights, &mut chases, speaker),
        }
    })
}

/// One window of all of a row's CPUs: each dropped attempt, and at most one sample.
fn stream(
    visit: Visit,
    weights: &[u32],
    kernel: Kernel,
    setup: &InterleaveSetup,
    berths: &mut Berths<'_>,
    speaker: &mut Speaker<impl Write>,
) -> io::Result<()> {
    let duties: Vec<Duty> = match berths.of(visit.place.row, weights) {
        Err(why) => return speaker.say(&Answer::cell_unavailable(visit, why)),
        Ok((berths, new)) => {
            tell(visit, new, speaker)?;
            berths.into_iter().map(|berth| Duty { berth, kernel, isa: setup.isa, pause: 0 }).collect()
        }
    };
    for _ in 0..=SPARE_ATTEMPTS {
        match berths.crew().run(&duties, setup.window) {
            Err(error) => return speaker.say(&Answer::cell_unavailable(visit, error.to_string())),
            Ok(Err(reason)) => speaker.say(&Answer::dropped(visit, reason))?,
            Ok(Ok(rates)) => {
                let ns = UNIT_BYTES * 1e9 / rates.program_bytes_per_s();
                return speaker.say(&Answer::Sample(visit.sample(setup.rows[visit.place.row][0], 0, ns)));
            }
        }
    }
    Ok(())
}

/// One chase from one of a row's CPUs.
fn chase(visit: Visit, weights: &[u32], chases: &mut Chases<'_>, speaker: &mut Speaker<impl Write>) -> io::Result<()> {
    let row = visit.place.row;
    if let Err(why) = chases.sit(row) {
        return speaker.say(&Answer::row_unavailable(row, why));
    }
    match chases.ready(weights) {
        Err(why) => return speaker.say(&Answer::cell_unavailable(visit, why)),
        Ok(new) => tell(visit, new, speaker)?,
    }
    let Some((seat, chase)) = chases.of(row, weights) else { return Ok(()) };
    visiting::make(visit, 0, seat, chase, speaker)
}

fn tell(visit: Visit, new: Option<New>, speaker: &mut Speaker<impl Write>) -> io::Result<()> {
    let Some(New { backing, buffers, note }) = new else { return Ok(()) };
    let Place { column, treatment, .. } = visit.place;
    speaker.say(&Answer::Placed { column, treatment, pages: buffers, backing, note })
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
        let mut output = Vec::new();
        let mut speaker = Speaker::new(&mut output);
        work(setup, &Batch { process: 0, seed: 1, visits }, &mut speaker).unwrap();
        speaker.flush().unwrap();
        drop(speaker);
        String::from_utf8(output).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
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
