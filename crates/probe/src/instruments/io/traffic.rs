//! Whether a visit's accesses reached the disk, and whether others used it meanwhile.

use nearfar_machine::{DiskCounters, Source};
use nearfar_model::Bytes;

use super::setup::{IoOperation, IoTarget};

/// A tenth of a visit's bytes may be of others.
const MAX_OF_OTHERS: f64 = 0.1;
/// Nine tenths of a visit's bytes must reach the disk: counters may lag behind.
const MIN_SEEN: f64 = 0.9;

/// The counters of a target's disks before a visit.
pub(super) struct TrafficWatch {
    before: Option<DiskCounters>,
}

/// What the counters show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Traffic {
    /// The visit's own accesses, or nothing is known.
    Own,
    /// Others used the disk, too.
    Others,
    /// The accesses did not reach the disk: a cache answered.
    NotOnDisk {
        /// The bytes that reached it.
        seen: Bytes,
    },
}

impl TrafficWatch {
    pub(super) fn begin(source: &Source, target: &IoTarget) -> Self {
        Self { before: counters(source, target) }
    }

    /// What happened since, when this many bytes were accessed.
    pub(super) fn end(
        &self,
        source: &Source,
        target: &IoTarget,
        operation: IoOperation,
        own: Bytes,
    ) -> Traffic {
        let Some((before, after)) = self.before.zip(counters(source, target)) else {
            return Traffic::Own;
        };
        judge(after.since(before), operation, own, target.disks.len())
    }
}

fn judge(done: DiskCounters, operation: IoOperation, own: Bytes, disks: usize) -> Traffic {
    let (seen, other_way) = match operation {
        IoOperation::Read => (done.read_bytes, done.written_bytes),
        IoOperation::Write => (done.written_bytes, done.read_bytes),
    };
    let own = own.0 as f64;
    if (seen as f64) < MIN_SEEN * own {
        return Traffic::NotOnDisk { seen: Bytes(seen) };
    }
    // Several disks write each block more than once.
    let more = if operation == IoOperation::Write && disks > 1 { 0.0 } else { seen as f64 - own };
    if more + other_way as f64 > MAX_OF_OTHERS * own { Traffic::Others } else { Traffic::Own }
}

fn counters(source: &Source, target: &IoTarget) -> Option<DiskCounters> {
    let all: Option<Vec<DiskCounters>> =
        target.disks.iter().map(|disk| DiskCounters::read(source, disk)).collect();
    all?.into_iter().reduce(DiskCounters::plus)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_accesses_others_and_caches_are_kept_apart() {
        let done = |read_bytes, written_bytes| DiskCounters {
            read_bytes,
            written_bytes,
            ..DiskCounters::default()
        };
        let own = Bytes(1_000_000);
        let read = |read, written| judge(done(read, written), IoOperation::Read, own, 1);
        assert_eq!(read(1_000_000, 0), Traffic::Own);
        assert_eq!(read(1_050_000, 40_000), Traffic::Own);
        assert_eq!(read(1_200_000, 0), Traffic::Others);
        assert_eq!(read(1_000_000, 200_000), Traffic::Others);
        assert_eq!(read(4_096, 0), Traffic::NotOnDisk { seen: Bytes(4_096) });
        let mirrored = judge(done(0, 2_000_000), IoOperation::Write, own, 2);
        assert_eq!(mirrored, Traffic::Own);
    }
}
