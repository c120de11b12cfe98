//! A stalled CPU: a hypervisor or firmware took it, unknown to the kernel.

use std::time::Duration;

use crate::probes::slice::median;

/// The smallest ratio of a stalled segment's time to the median.
const STALL_FACTOR: u32 = 3;
/// The smallest excess of a stalled segment over the median.
const STALL_EXCESS: Duration = Duration::from_micros(100);

/// Whether one of a slice's segments is such an outlier that the CPU must have stalled.
pub(crate) fn is_stalled(segments: &[Duration]) -> bool {
    let typical = median(segments);
    let longest = segments.iter().max().copied().unwrap_or_default();
    longest > typical * STALL_FACTOR && longest > typical + STALL_EXCESS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn micros(segments: &[u64]) -> Vec<Duration> {
        segments.iter().map(|&us| Duration::from_micros(us)).collect()
    }

    #[test]
    fn one_far_longer_segment_is_a_stall() {
        assert!(is_stalled(&micros(&[120, 121, 119, 120, 500, 120, 122, 118])));
    }

    #[test]
    fn ordinary_scatter_is_no_stall() {
        assert!(!is_stalled(&micros(&[120, 121, 119, 300, 120, 120, 122, 118])));
        // Three times as long, but short: a timer tick.
        assert!(!is_stalled(&micros(&[10, 10, 10, 10, 10, 10, 10, 90])));
        assert!(!is_stalled(&[]));
    }
}
