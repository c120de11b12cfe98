//! A worker: one fresh process of a survey. It reads a job, places memory, makes its visits and ends.
//!
//! Runs differ more than samples within one do, because each run gets other pages; so a survey is split over several
//! workers, each with fresh allocations, cycles and CPUs, all drawn from its batch's seed.

pub(crate) mod guards;
mod memories;
mod seat;
mod speaker;
mod spinners;
#[cfg(test)]
mod tests;
mod visiting;

use std::io::{self, BufRead, Write};

use fastrand::Rng;
use nearfar_place::{AffinityGuard, volunteer_for_oom_kill};

use crate::answer::{Answer, Batch};
use crate::job::{Job, Setup};
use crate::probe_error::ProbeError;
use crate::probes::slice::Probe;
use crate::worker::memories::{Budget, moved_meanwhile, place};
use crate::worker::seat::Seat;
use crate::worker::speaker::Speaker;
use crate::worker::spinners::Spinners;

/// Makes this process a worker's: it dies with its parent, and offers itself to the out-of-memory killer first. For the beginning of a
/// process that then does nothing but [`serve`].
pub fn become_worker() {
    end_with_parent();
    volunteer_for_oom_kill();
}

/// What a worker does: one line of JSON in (a [`Job`]), one line out for each [`Answer`]. Ends quietly when nobody reads any more. Changes
/// nothing of the process that lasts: see [`become_worker`].
pub fn serve(input: impl BufRead, output: impl Write) -> Result<(), ProbeError> {
    let job = Job::read(input)?;
    let mut speaker = Speaker::new(output);
    match work(&job, &mut speaker).and_then(|()| speaker.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(ProbeError::Output(error)),
        _ => Ok(()),
    }
}

fn work(job: &Job, speaker: &mut Speaker<impl Write>) -> io::Result<()> {
    let _back_afterwards = AffinityGuard::stay();
    let mut random = Rng::with_seed(job.batch.seed);
    let mut seats = draw_seats(&job.setup, &job.batch, &mut random.fork(), speaker)?;
    let mut probes = place_columns(&job.setup, &job.batch, &mut random.fork(), speaker)?;
    let _spinners = Spinners::start(&job.setup.spinners);
    for &visit in &job.batch.visits {
        let (Some(seat), Some(probe)) = (&mut seats[visit.row], &mut probes[visit.column]) else { continue };
        let page = visit.draw % job.setup.columns[visit.column].pages;
        visiting::make(visit, page, seat, probe.as_mut(), speaker)?;
    }
    report_moved(&probes, speaker)
}

/// A CPU for every row that is visited, each from a seed of its own, so that rows do not depend on one another.
fn draw_seats(
    setup: &Setup,
    batch: &Batch,
    random: &mut Rng,
    speaker: &mut Speaker<impl Write>,
) -> io::Result<Vec<Option<Seat>>> {
    let mut seats = Vec::with_capacity(setup.rows.len());
    for (row, candidates) in setup.rows.iter().enumerate() {
        let mut of_row = random.fork();
        if !batch.visits.iter().any(|visit| visit.row == row) {
            seats.push(None);
            continue;
        }
        let _back = AffinityGuard::stay();
        match Seat::draw(candidates, &mut of_row) {
            Ok(seat) => seats.push(Some(seat)),
            Err(why) => {
                speaker.say(&Answer::RowUnavailable { row, why })?;
                seats.push(None);
            }
        }
    }
    Ok(seats)
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
        if batch.visits.iter().any(|visit| visit.column == index) {
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
            speaker.say(&Answer::ColumnUnavailable { column, why })?;
        }
    }
    Ok(())
}

/// Asks the kernel to end this process when the thread that started it ends.
#[allow(unsafe_code)]
fn end_with_parent() {
    // SAFETY: sets an attribute of this process and touches no memory.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
}
