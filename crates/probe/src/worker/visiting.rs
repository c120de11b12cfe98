//! One visit: slices timed under the guards until the sample is whole, or given up.

use std::io::{self, Write};
use std::time::Duration;

use crate::answer::{Answer, DropReason, Visit};
use crate::probes::slice::{Probe, Timing};
use crate::worker::guards::Watch;
use crate::worker::guards::stall::is_stalled;
use crate::worker::seat::{Seat, Seated};
use crate::worker::speaker::Speaker;

/// Disturbed attempts that a visit may have and still go on: a sample of one slice is tried again at most twice.
const SPARE_ATTEMPTS: u64 = 2;
/// Samples of several slices, each tried again by itself, may have one more disturbed attempt for so many slices.
const SLICES_PER_SPARE: u64 = 2;

/// Makes one visit and says what came of it: each dropped attempt, and at most one sample.
pub(crate) fn make(
    visit: Visit,
    page: u32,
    seat: &mut Seat,
    probe: &mut dyn Probe,
    speaker: &mut Speaker<impl Write>,
) -> io::Result<()> {
    let division = probe.division();
    let mut spare = SPARE_ATTEMPTS + division.slices / SLICES_PER_SPARE;
    let mut cost = Duration::ZERO;
    let mut missing = division.slices;
    while missing > 0 {
        match attempt(visit, page, seat, probe, speaker)? {
            Ok(slice) => {
                cost += slice;
                missing -= 1;
            }
            Err(reason) => {
                speaker.say(&Answer::dropped(visit, reason))?;
                if spare == 0 {
                    return Ok(());
                }
                spare -= 1;
            }
        }
    }
    let accesses = division.slices * division.per_slice();
    let ns = cost.as_nanos() as f64 / accesses as f64;
    speaker.say(&Answer::Sample(visit.sample(seat.cpu, page, ns)))
}

/// Times one slice; the time of its accesses, or why it is not believed.
fn attempt(
    visit: Visit,
    page: u32,
    seat: &mut Seat,
    probe: &mut dyn Probe,
    speaker: &mut Speaker<impl Write>,
) -> io::Result<Result<Duration, DropReason>> {
    match seat.take() {
        Seated::Ready => {}
        Seated::ReadyFirst(ghz) => speaker.say(&Answer::Frequency { row: visit.place.row, cpu: seat.cpu, ghz })?,
        Seated::Unsettled => return Ok(Err(DropReason::Unsettled)),
    }
    probe.prepare();
    Ok(guarded(page, seat, probe))
}

/// Times one slice on the CPU that the calling thread sits on already.
pub(crate) fn guarded(page: u32, seat: &Seat, probe: &mut dyn Probe) -> Result<Duration, DropReason> {
    let watch = Watch::begin(seat.cpu, probe.memory(), probe.extent(page))?;
    let timing = probe.slice(page);
    watch.end(probe.memory())?;
    believed(&timing)
}

/// What the accesses cost. Something stopped the CPU where one segment took far longer than the others, and where
/// the empty loop took as long as the accesses.
fn believed(timing: &Timing) -> Result<Duration, DropReason> {
    let cost = timing.cost();
    if is_stalled(&timing.segments) || cost.is_zero() { Err(DropReason::Stalled) } else { Ok(cost) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_no_slower_than_its_empty_loop_is_dropped() {
        let timing = |loop_us| Timing {
            segments: vec![Duration::from_micros(10); 8],
            loop_cost: Duration::from_micros(loop_us),
        };
        assert_eq!(believed(&timing(30)), Ok(Duration::from_micros(50)));
        assert_eq!(believed(&timing(80)), Err(DropReason::Stalled));
        assert_eq!(believed(&timing(90)), Err(DropReason::Stalled));
    }
}
