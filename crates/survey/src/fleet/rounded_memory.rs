//! What equal machines have in memory.

use nearfar_model::Bytes;

/// Steps of rounding between two powers of two. Firmware and kernel reserve 1 to 3 % of memory; a
/// step is 3 to 6 %, and one DIMM of at most 32 is a step at least.
const STEPS: u64 = 16;

/// The size of the DIMMs of a machine whose kernel manages this much.
pub(crate) fn rounded_memory(managed: Bytes) -> Bytes {
    let step = (managed.0.checked_ilog2().map_or(1, |power| 1u64 << power) / STEPS).max(1);
    Bytes(managed.0.div_ceil(step).saturating_mul(step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_dimms_are_equal_memory() {
        for (managed, installed) in [(503, 512), (497, 512), (377, 384), (755, 768), (2014, 2048)] {
            assert_eq!(rounded_memory(Bytes::gib(managed)), Bytes::gib(installed), "{managed}");
        }
        assert_eq!(rounded_memory(Bytes(25_276_514_304)), Bytes::gib(24));
    }

    #[test]
    fn a_missing_dimm_is_other_memory() {
        // One of 8, 16 and 32 DIMMs.
        for (managed, installed) in [(440, 448), (471, 480), (487, 496)] {
            assert_eq!(rounded_memory(Bytes::gib(managed)), Bytes::gib(installed), "{managed}");
        }
        assert_eq!(rounded_memory(Bytes(0)), Bytes(0));
        assert_eq!(rounded_memory(Bytes(u64::MAX)), Bytes(u64::MAX));
    }
}
