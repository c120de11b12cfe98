//! GPUs: bytes are copied between memory of a node and a GPU, or from one GPU to another.
//!
//! Memory is placed and proven as in every instrument, then registered with the driver
//! (`cuMemHostRegister`, `hipHostRegister`), which pins it: so the GPU accesses just these pages.
//! Copies from pageable memory go through memory of the driver, wherever that is.
//!
//! Events of the driver time the copies, and the host's clock checks them: a copy that takes longer
//! by the driver than by the host is dropped. Latencies, and rates of several GPUs at once, are by
//! the host's clock, since events of different GPUs cannot be compared.
//!
//! The driver keeps memory of its own, which it allocates when it begins in a process. Processes
//! begin it on a CPU of each row in turn, so that its place is not mistaken for the program's.

mod host_buffers;
mod inventory;
mod lanes;
mod setup;
mod station;

use std::time::Duration;

pub use crate::gpu_driver::{GpuApi, GpuIdentity};
pub use inventory::{GpuInventory, InventoryError, read_inventory, write_inventory};
pub use setup::{
    CopyDirection, CopyFigure, CopyRoute, GpuSetup, GpuTarget, GpuTreatment, HostMemory, MAX_COPY,
};

/// A larger difference is not explained by the work between the clocks' readings.
const MAX_SHARE: f64 = 0.03;
/// The host's time beside the driver's is this many times that of no copies at most: emulated CPUs
/// need milliseconds to hand a copy to the driver and to notice its end, others microseconds.
const HANDING_OVER: u32 = 3;
/// And this much more, on any machine.
const SPARE: Duration = Duration::from_micros(100);

/// The times of the same copies by both clocks.
#[derive(Clone, Copy, Debug)]
struct BothClocks {
    /// From the first event to the last.
    driver: Duration,
    /// From before the first call to after the last copy's end.
    host: Duration,
}

impl BothClocks {
    /// Whether they agree: the host's time is longer by what handing over takes. `idle` are the
    /// times of no copies.
    fn agree(self, idle: Self) -> bool {
        let handing_over = idle.host.saturating_sub(idle.driver) * HANDING_OVER + SPARE;
        let longest = self.driver + self.host.mul_f64(MAX_SHARE) + handing_over;
        self.is_within() && self.host <= longest
    }

    /// Whether the driver's time is possible: it is part of the host's.
    fn is_within(self) -> bool {
        self.driver <= self.host + self.host.mul_f64(MAX_SHARE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clocks(driver: u64, host: u64) -> BothClocks {
        BothClocks { driver: Duration::from_micros(driver), host: Duration::from_micros(host) }
    }

    #[test]
    fn handing_over_takes_time() {
        let idle = clocks(2, 40);
        for (driver, host) in [(10_000, 10_040), (10_000, 10_290), (50, 240), (1_000, 1_000)] {
            assert!(clocks(driver, host).agree(idle), "{driver} {host}");
        }
        // An emulated CPU.
        assert!(!clocks(10_000, 11_500).agree(idle));
        assert!(clocks(10_000, 11_500).agree(clocks(0, 500)));
    }

    #[test]
    fn a_lying_clock_is_noticed() {
        let idle = clocks(0, 40);
        // Twice as fast, and twice as slow, as the host's clock.
        assert!(!clocks(10_000, 20_000).agree(idle));
        assert!(!clocks(20_000, 10_000).agree(idle));
        assert!(!clocks(20_000, 10_000).is_within());
        assert!(clocks(10, 20_000).is_within());
    }
}
