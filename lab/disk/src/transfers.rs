//! When each request of a disk ends.

use crate::costs::DiskCosts;

/// The transfers of one disk: requests wait for each other's transfers, and for nothing else.
#[derive(Debug)]
pub struct Transfers {
    costs: DiskCosts,
    /// When the last transfer ends.
    free_at: u64,
}

impl Transfers {
    /// A disk without requests.
    pub fn new(costs: DiskCosts) -> Self {
        Self { costs, free_at: 0 }
    }

    /// When a request ends that arrives at `now` in a queue, by its buffers' guest-physical
    /// addresses and bytes.
    pub fn end(
        &mut self,
        now: u64,
        queue: usize,
        buffers: impl IntoIterator<Item = (u64, u64)>,
    ) -> u64 {
        let (mut bytes, mut extra_ns) = (0, 0.0_f64);
        for (start, length) in buffers {
            bytes += length;
            extra_ns = extra_ns.max(self.costs.buffer_ns(start, length));
        }
        self.free_at = self.free_at.max(now) + (bytes as f64 * self.costs.ns_per_byte) as u64;
        self.free_at + (self.costs.latency_ns + self.costs.queue_ns(queue) + extra_ns) as u64
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::BufferCost;

    const MIB: u64 = 1 << 20;

    /// 100 us a request, 1 GB/s, 50 us more for buffers in the second MiB, 30 us in queue 1.
    fn disk() -> Transfers {
        Transfers::new(DiskCosts {
            socket: PathBuf::new(),
            bytes: 64 * MIB,
            queues: 3,
            serial: String::new(),
            latency_ns: 100_000.0,
            ns_per_byte: 1.0,
            queue_ns: vec![0.0, 30_000.0],
            buffers: vec![
                BufferCost { start: 0, end: MIB, extra_ns: 0.0 },
                BufferCost { start: MIB, end: 2 * MIB, extra_ns: 50_000.0 },
            ],
        })
    }

    #[test]
    fn far_buffers_cost_more() {
        let mut disk = disk();
        assert_eq!(disk.end(1_000_000, 0, [(0, 4096)]), 1_104_096);
        assert_eq!(disk.end(2_000_000, 0, [(MIB, 4096)]), 2_154_096);
        assert_eq!(disk.end(3_000_000, 0, [(2 * MIB, 4096)]), 3_104_096);
    }

    #[test]
    fn a_buffer_in_both_costs_what_its_farthest_byte_does() {
        assert_eq!(disk().end(0, 0, [(0, 512), (2 * MIB - 512, 512)]), 151_024);
        assert_eq!(disk().end(0, 0, [(MIB - 512, 1024)]), 151_024);
        assert_eq!(disk().end(0, 0, [(MIB - 512, 512)]), 100_512);
    }

    #[test]
    fn latencies_overlap_and_transfers_do_not() {
        let mut disk = disk();
        let ends: Vec<u64> = (0..4).map(|_| disk.end(0, 0, [(0, 10_000)])).collect();
        assert_eq!(ends, [110_000, 120_000, 130_000, 140_000]);
        assert_eq!(disk.end(1_000_000, 0, [(0, 10_000)]), 1_110_000);
    }

    #[test]
    fn each_queue_adds_its_own() {
        assert_eq!(
            [0, 1, 2].map(|queue| disk().end(0, queue, [(MIB, 4096)])),
            [154_096, 184_096, 154_096]
        );
    }

    #[test]
    fn requests_without_data_take_the_latency() {
        assert_eq!(disk().end(7, 0, []), 100_007);
    }
}
