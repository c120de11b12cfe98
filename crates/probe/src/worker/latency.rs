//! A worker that times accesses: one CPU a row, one placed memory a column.

use std::io::{self, Write};

use fastrand::Rng;

use crate::answer::{Answer, Batch};
use crate::probes::slice::Probe;
use crate::setup::Setup;
use crate::worker::memories::{Budget, moved_meanwhile, place};
use crate::worker::seat::draw_each;
use crate::worker::speaker::Speaker;
use crate::worker::spinners::Spinners;
use crate::worker::visiting;

pub(super) fn work(setup: &Setup, batch: &Batch, speaker: &mut Speaker<impl Write>) -> io::Result<()> {
    let mut random = Rng::with_seed(batch.seed);
    let mut seats = draw_each(setup.rows.iter(), batch, &mut random.fork(), speaker)?;
    let mut probes = place_columns(setup, batch, &mut random.fork(), speaker)?;
    let _spinners = Spinners::start(&setup.spinners);
    for &visit in &batch.visits {
        let (Some(seat), Some(probe)) = (&mut seats[visit.place.row], &mut probes[visit.place.column]) else {
            continue;
        };
        let page = visit.draw % setup.columns[visit.place.column].pages;
        visiting::make(visit, page, seat, probe.as_mut(), speaker)?;
    }
    report_moved(&probes, speaker)
}

/// Memory for every column that is visited, placed in random order: the kernel hands a process the pages that the one before it freed, and
/// the buffer that came first was 8 to 16 % dearer to chase on 4 KiB pages, whichever it was (measured on a guest).
fn place_columns(
    setup: &Setup,
    batch: &Batch,
    random: &mut Rng,
    speaker: &mut Speaker<impl Write>,
) -> io::Result<Vec<Option<Box<dyn Probe>>>> {
    let mut budget = Budget::default();
    let mut queue = Vec::with_capacity(setup.columns.len());
    for (index, column) in setup.columns.iter().enumerate() {
        let of_column = random.fork();
        if batch.visits.iter().any(|visit| visit.place.column == index) {
            queue.push((index, column, budget.grant(column), of_column));
        }
    }
    random.shuffle(&mut queue);
    let mut probes: Vec<Option<Box<dyn Probe>>> = setup.columns.iter().map(|_| None).collect();
    for (index, column, granted, mut of_column) in queue {
        let (probe, told) = place(index, column, granted, &mut of_column);
        speaker.say(&told)?;
        probes[index] = probe;
    }
    Ok(probes)
}

/// Looks all pages up once more: around samples only some of a large buffer's are.
fn report_moved(probes: &[Option<Box<dyn Probe>>], speaker: &mut Speaker<impl Write>) -> io::Result<()> {
    for (column, probe) in probes.iter().enumerate() {
        if let Some(why) = probe.as_ref().and_then(|probe| moved_meanwhile(probe.memory())) {
            speaker.say(&Answer::column_unavailable(column, why))?;
        }
    }
    Ok(())
}
