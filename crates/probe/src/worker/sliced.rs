//! Samples of slices: each slice is timed under the guards until the sample is complete.

use std::time::Duration;

use nearfar_model::Sample;

use crate::probes::slice::{Probe, Timing};
use crate::worker::guards::Watch;
use crate::worker::guards::is_stalled;
use crate::worker::messages::Messages;
use crate::worker::pinned_cpu::PinnedCpu;
use crate::worker::station::{NoSample, SPARE_ATTEMPTS};
use crate::worker_message::{DropReason, Visit};

/// A sample of several slices may have one more disturbed attempt per this many slices.
const SLICES_PER_SPARE: u64 = 2;

/// Disturbed attempts that a sample of this many slices may have.
pub(crate) const fn spare_attempts(slices: u64) -> u64 {
    SPARE_ATTEMPTS + slices / SLICES_PER_SPARE
}

/// The sample in progress: undisturbed slices are kept when another one is disturbed.
#[derive(Default)]
pub(crate) struct SlicedSample {
    visit: Option<Visit>,
    cost: Duration,
    slices: u64,
}

impl SlicedSample {
    /// Times the missing slices of a visit's sample, until one is disturbed.
    pub(crate) fn attempt(
        &mut self,
        visit: Visit,
        page: u32,
        cpu: &mut PinnedCpu,
        probe: &mut dyn Probe,
        messages: &mut Messages<'_>,
    ) -> Result<Sample, NoSample> {
        if self.visit != Some(visit) {
            *self = Self { visit: Some(visit), ..Self::default() };
        }
        let division = probe.division();
        while self.slices < division.slices {
            cpu.pin(visit.place.row, messages)?;
            probe.prepare();
            self.cost += guarded(page, cpu, probe)
                .map_err(|disturbed| disturbed.no_sample(division.per_slice()))?;
            self.slices += 1;
        }
        let ns = self.cost.as_nanos() as f64 / division.accesses() as f64;
        // Another attempt of the same visit would be another sample.
        self.visit = None;
        Ok(visit.sample(cpu.cpu, page, ns))
    }
}

/// A disturbed slice.
#[derive(Debug, PartialEq)]
pub(crate) struct DisturbedSlice {
    pub(crate) reason: DropReason,
    /// The cost of its accesses all the same, where the right CPU accessed the right memory.
    cost: Option<Duration>,
}

impl From<DropReason> for DisturbedSlice {
    fn from(reason: DropReason) -> Self {
        Self { reason, cost: None }
    }
}

impl DisturbedSlice {
    /// What it is to a visit.
    fn no_sample(self, accesses: u64) -> NoSample {
        match self.cost {
            Some(cost) => NoSample::Rough(self.reason, cost.as_nanos() as f64 / accesses as f64),
            None => NoSample::Dropped(self.reason),
        }
    }
}

/// Times one slice on the CPU that the calling thread is pinned to.
pub(crate) fn guarded(
    page: u32,
    cpu: &PinnedCpu,
    probe: &mut dyn Probe,
) -> Result<Duration, DisturbedSlice> {
    let watch = Watch::begin(cpu.cpu, probe.memory(), probe.extent(page))?;
    let timing = probe.slice(page);
    let cost = Some(timing.cost());
    match watch.end(probe.memory()) {
        Ok(()) => believed(&timing).map_err(|reason| DisturbedSlice { reason, cost }),
        Err(reason @ (DropReason::MovedCpu | DropReason::PageMoved)) => Err(reason.into()),
        Err(reason) => Err(DisturbedSlice { reason, cost }),
    }
}

/// The cost of the accesses. The CPU stalled if one segment took far longer than the others, or if
/// the empty loop took as long as the accesses.
fn believed(timing: &Timing) -> Result<Duration, DropReason> {
    let cost = timing.cost();
    if is_stalled(&timing.segments) || cost.is_zero() { Err(DropReason::Stalled) } else { Ok(cost) }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use fastrand::Rng;
    use nearfar_model::CpuSet;
    use nearfar_place::{AffinityGuard, PlacedBuffer, affinity};

    use super::*;
    use crate::probes::slice::Division;
    use crate::tests::memory;
    use crate::tests::visit;

    const SLICES: u64 = 4;

    /// Counts its slices; every third has an empty loop as long as the accesses.
    struct Counting {
        memory: PlacedBuffer,
        slices: u64,
    }

    impl Probe for Counting {
        fn division(&self) -> Division {
            Division { slices: SLICES, per_segment: 1 }
        }

        fn slice(&mut self, _: u32) -> Timing {
            self.slices += 1;
            let loop_us = if self.slices % 3 == 0 { 80 } else { 30 };
            timing(loop_us)
        }

        fn memory(&self) -> &PlacedBuffer {
            &self.memory
        }

        fn extent(&self, _: u32) -> Range<usize> {
            0..self.memory.length()
        }
    }

    fn timing(loop_us: u64) -> Timing {
        Timing {
            segments: vec![Duration::from_micros(10); 8],
            loop_cost: Duration::from_micros(loop_us),
        }
    }

    #[test]
    fn undisturbed_slices_are_kept_when_another_is_dropped() {
        let _restore = AffinityGuard::save().unwrap();
        let cpus: CpuSet = affinity().unwrap();
        let mut cpu = PinnedCpu::draw(&cpus, &mut Rng::with_seed(1)).unwrap();
        let (mut output, mut sample) = (Vec::new(), SlicedSample::default());
        let mut messages = Messages::new(&mut output);
        let mut probe = Counting { memory: memory(2 << 20), slices: 0 };
        for round in 0..3 {
            let visit = Visit { round, ..visit(0, 0, 0) };
            let (before, mut dropped) = (probe.slices, 0);
            let taken = loop {
                match sample.attempt(visit, 0, &mut cpu, &mut probe, &mut messages) {
                    Ok(taken) => break taken,
                    Err(NoSample::Dropped(_) | NoSample::Rough(..)) => dropped += 1,
                    Err(other) => panic!("{other:?}"),
                }
            };
            // Guards may drop a slice before it is timed.
            let timed = probe.slices - before;
            assert!(
                (SLICES..=SLICES + dropped).contains(&timed),
                "{timed} slices, {dropped} dropped"
            );
            // 50 microseconds in each of four slices of eight accesses.
            assert!((taken.value - 6_250.0).abs() < 1e-9, "{taken:?}");
        }
    }

    #[test]
    fn a_slice_no_slower_than_its_empty_loop_is_dropped() {
        assert_eq!(believed(&timing(30)), Ok(Duration::from_micros(50)));
        assert_eq!(believed(&timing(80)), Err(DropReason::Stalled));
        assert_eq!(believed(&timing(90)), Err(DropReason::Stalled));
    }
}
