//! The default size of memory: a multiple of the last-level cache, limited by free memory.

use nearfar_machine::Topology;
use nearfar_model::Bytes;

use crate::measure::SettingsError;

/// The default memory is at most this fraction (1/8) of a node's free memory.
const SHARE: u64 = 8;

/// The requested size; an error if the memory with the least free space cannot hold it. Without a
/// request: the usual size, at most [`SHARE`] of that memory's free space, and at least `least`.
pub(crate) fn affordable(
    size: Option<Bytes>,
    usual: Bytes,
    least: Bytes,
    tightest: Option<(Bytes, String)>,
) -> Result<Bytes, SettingsError> {
    match (size, tightest) {
        (Some(size), Some((free, memory))) if size > free => {
            Err(SettingsError::SizeTooLarge { size, memory, free })
        }
        (Some(size), _) => Ok(size),
        (None, tightest) => {
            Ok(tightest.map_or(usual, |(free, _)| usual.min(Bytes(free.0 / SHARE)).max(least)))
        }
    }
}

/// The largest last-level cache.
pub(crate) fn last_level(topology: &Topology) -> Option<Bytes> {
    topology.caches.iter().filter_map(|cache| cache.size).max()
}
