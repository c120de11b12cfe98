//! The core walk: a buffer first touched on one CPU, then swept by stores from every CPU in turn.
//!
//! On its own it cannot tell far memory from a slow core; its control, the same CPU measured as many times over, tells
//! noise from structure. Where the buffer is touched first is the column's `touch_from`.

use nearfar_place::PlacedBuffer;

use crate::probes::store_sweep::StoreSweep;

/// A sweep that keeps the cost of its loop, so that its figures are plain time over accesses.
pub(crate) fn sweep_from_every_cpu(memory: PlacedBuffer, buffer: usize, accesses: u64) -> StoreSweep {
    StoreSweep::with_loop(memory, buffer, accesses)
}
