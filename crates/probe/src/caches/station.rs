//! A worker whose visits go round buffers of one size.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use fastrand::Rng;
use nearfar_model::{Bytes, Place};
use nearfar_place::{BufferPlace, PlacedBuffer, Proof, WantedPages};

use super::buffer::SweepBuffer;
use super::order::Order;
use super::regions::regions;
use super::setup::CacheSetup;
use crate::answer::{Answer, Batch, PlanScope, Visit};
use crate::probes::arch::LINE;
use crate::spec::PageSize;
use crate::worker::memories::moved_meanwhile;
use crate::worker::seat::draw_each;
use crate::worker::speaker::Speaker;
use crate::worker::spinners::Spinners;
use crate::worker::visiting;

/// Buffers by memory and kind of pages.
type Buffers = BTreeMap<(usize, usize), SweepBuffer>;

/// Makes the visits of a batch.
pub(crate) fn work(setup: &CacheSetup, batch: &Batch, speaker: &mut Speaker<impl Write>) -> io::Result<()> {
    let _spinners = Spinners::start(&setup.spinners);
    let mut random = Rng::with_seed(batch.seed);
    let mut seats = draw_each(setup.rows.iter().map(|row| &row.cpus), batch, &mut random.fork(), speaker)?;
    let mut buffers = place(setup, batch, &mut random.fork(), speaker)?;
    link(setup, &mut buffers, random.fork());
    for &visit in &batch.visits {
        let Place { row, column: size, treatment: pages } = visit.place;
        let buffer = buffers.get_mut(&(setup.rows[row].memory, pages));
        if let (Some(seat), Some(buffer)) = (&mut seats[row], buffer) {
            visiting::make(visit, 0, seat, &mut buffer.chase(size, visit.draw), speaker)?;
        }
    }
    for (&place, buffer) in &buffers {
        if let Some(why) = moved_meanwhile(buffer.memory()) {
            give_up(setup, batch, place, &why, speaker)?;
        }
    }
    Ok(())
}

/// A buffer for every memory and kind of pages that is visited, in random order: what comes first gets other pages than what comes next.
fn place(
    setup: &CacheSetup,
    batch: &Batch,
    random: &mut Rng,
    speaker: &mut Speaker<impl Write>,
) -> io::Result<Buffers> {
    let memory_of = |visit: &Visit| (setup.rows[visit.place.row].memory, visit.place.treatment);
    let mut wanted: Vec<(usize, usize)> = batch.visits.iter().map(memory_of).collect();
    wanted.sort_unstable();
    wanted.dedup();
    random.shuffle(&mut wanted);
    let mut taken: BTreeMap<usize, Bytes> = BTreeMap::new();
    let mut buffers = Buffers::new();
    for place in wanted {
        let taken = taken.entry(place.0).or_default();
        match buffer(setup, place, *taken) {
            Ok(memory) => {
                *taken = *taken + Bytes(memory.length() as u64);
                tell(setup, batch, place, &memory, speaker)?;
                buffers.insert(place, SweepBuffer::new(memory, regions(&setup.sizes)));
            }
            Err(why) => give_up(setup, batch, place, &why, speaker)?,
        }
    }
    Ok(buffers)
}

fn buffer(setup: &CacheSetup, (memory, pages): (usize, usize), taken: Bytes) -> Result<PlacedBuffer, String> {
    let job = &setup.memories[memory];
    if let Some(why) = &job.why_not {
        return Err(why.clone());
    }
    let wish = BufferPlace {
        node: job.node,
        bytes: setup.footprint(),
        pages: match setup.pages[pages] {
            PageSize::Huge => WantedPages::Huge,
            PageSize::Base => WantedPages::Base,
        },
        touch_from: job.touch_from.clone(),
        free: job.free.map(|free| Bytes(free.0.saturating_sub(taken.0))),
    };
    PlacedBuffer::place(&wish).map_err(|refusal| refusal.to_string())
}

/// The places that a memory and a kind of pages are visited at.
fn visited(setup: &CacheSetup, batch: &Batch, (memory, pages): (usize, usize)) -> BTreeSet<Place> {
    let places = batch.visits.iter().map(|visit| visit.place);
    places.filter(|place| setup.rows[place.row].memory == memory && place.treatment == pages).collect()
}

fn tell(
    setup: &CacheSetup,
    batch: &Batch,
    place: (usize, usize),
    memory: &PlacedBuffer,
    speaker: &mut Speaker<impl Write>,
) -> io::Result<()> {
    let unproven = match memory.proof() {
        Proof::Unknown(why) => Some(format!("where its pages are is not proven: {why}")),
        Proof::Proven(_) => None,
    };
    let note = memory.notes().first().cloned().or(unproven);
    let backing = memory.backing().name();
    let columns: BTreeSet<usize> = visited(setup, batch, place).into_iter().map(|place| place.column).collect();
    columns.into_iter().try_for_each(|column| {
        let (backing, note) = (backing.clone(), note.clone());
        speaker.say(&Answer::Placed { column, treatment: place.1, pages: 1, backing, note })
    })
}

/// Says of a memory and a kind of pages that it cannot be measured.
fn give_up(
    setup: &CacheSetup,
    batch: &Batch,
    place: (usize, usize),
    why: &str,
    speaker: &mut Speaker<impl Write>,
) -> io::Result<()> {
    let gone = |place| Answer::Unavailable { scope: PlanScope::Cell(place), why: why.to_owned() };
    visited(setup, batch, place).into_iter().try_for_each(|place| speaker.say(&gone(place)))
}

/// Writes every size's cycle into every buffer: the same cycle on all kinds of pages.
fn link(setup: &CacheSetup, buffers: &mut Buffers, random: Rng) {
    if buffers.is_empty() {
        return;
    }
    let mut order = Order::new(random);
    for (size, bytes) in setup.sizes.iter().enumerate() {
        let lines = bytes.0 as usize / LINE;
        let next = &order.of(lines)[..lines];
        buffers.values_mut().for_each(|buffer| buffer.link(size, next));
    }
}

#[cfg(test)]
mod tests {
    use nearfar_model::CpuSet;
    use nearfar_place::{AffinityGuard, affinity};

    use super::*;
    use crate::answered::{assert_answered, visit};
    use crate::bandwidth::MemoryJob;
    use crate::caches::{SweepRow, sizes};

    fn setup(why_not: Option<&str>) -> CacheSetup {
        let why_not = why_not.map(str::to_owned);
        CacheSetup {
            rows: vec![SweepRow { cpus: affinity().unwrap(), memory: 0 }],
            memories: vec![MemoryJob { node: None, touch_from: CpuSet::new(), free: None, why_not }],
            sizes: sizes(Bytes::mib(16), 1),
            pages: vec![PageSize::Huge, PageSize::Base],
            spinners: CpuSet::new(),
        }
    }

    /// Every size on all pages.
    fn visits(setup: &CacheSetup) -> Vec<Visit> {
        let of_size = |column| (0..setup.pages.len()).map(move |pages| Visit { draw: 1, ..visit(0, column, pages) });
        (0..setup.sizes.len()).flat_map(of_size).collect()
    }

    fn answers(setup: &CacheSetup, seed: u64) -> Vec<Answer> {
        let visits = visits(setup);
        let mut output = Vec::new();
        let mut speaker = Speaker::new(&mut output);
        let _back = AffinityGuard::stay();
        work(setup, &Batch { process: 0, seed, visits }, &mut speaker).unwrap();
        speaker.flush().unwrap();
        drop(speaker);
        String::from_utf8(output).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn every_size_on_all_pages_is_answered() {
        let setup = setup(None);
        assert_answered(&visits(&setup), &answers(&setup, 1));
    }

    #[test]
    #[ignore = "long: needs undisturbed samples, and asserts costs"]
    fn every_size_on_all_pages_gets_a_plausible_figure() {
        let setup = setup(None);
        let (shape, mut ns) = (setup.shape(), vec![f64::INFINITY; visits(&setup).len()]);
        // Other programs disturb some of them.
        for seed in 0..50 {
            for answer in answers(&setup, seed) {
                if let Answer::Sample(sample) = answer {
                    let at = shape.index_in_row(sample.place);
                    ns[at] = ns[at].min(sample.value);
                }
            }
            if seed >= 2 && ns.iter().all(|ns| ns.is_finite()) {
                break;
            }
        }
        assert!(ns.iter().all(|ns| (0.2..2000.0).contains(ns)), "{ns:?}");
        // 4 KiB fit the first cache of any machine, 16 MiB do not.
        assert!(ns[ns.len() - 2] > 2.0 * ns[0], "{ns:?}");
    }

    #[test]
    fn memory_that_is_known_not_to_be_there_is_told() {
        let said = answers(&setup(Some("node 3 has no memory")), 1);
        assert_eq!(said.len(), visits(&setup(None)).len());
        let gone = |answer: &Answer| matches!(answer, Answer::Unavailable { scope: PlanScope::Cell(_), why } if why.contains("node 3"));
        assert!(said.iter().all(gone), "{said:?}");
    }
}
