//! Fields of event numbers, as sysfs describes them: "config:8-15".

use std::collections::BTreeMap;

/// An event's number from its fields; `None` if the PMU lacks a field, or a value does not fit.
///
/// # References
///
/// Documentation/ABI/testing/sysfs-bus-event_source-devices-format
pub(crate) fn encode(formats: &BTreeMap<String, String>, fields: &[(&str, u64)]) -> Option<u64> {
    fields
        .iter()
        .try_fold(0, |config, (name, value)| Some(config | place(formats.get(*name)?, *value)?))
}

/// A value in its bits. A field may consist of several ranges, the lowest first: "0-7,32-35".
fn place(format: &str, mut value: u64) -> Option<u64> {
    let mut config = 0;
    for range in format.strip_prefix("config:")?.split(',') {
        let (low, high) = range.split_once('-').unwrap_or((range, range));
        let (low, high): (u32, u32) = (low.parse().ok()?, high.parse().ok()?);
        if high > 63 || low > high {
            return None;
        }
        let mask = u64::MAX >> (63 - (high - low));
        config |= (value & mask) << low;
        value = value.checked_shr(high - low + 1).unwrap_or(0);
    }
    (value == 0).then_some(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_placed_in_their_bits() {
        assert_eq!(place("config:8-15", 0x12), Some(0x1200));
        assert_eq!(place("config:46", 1), Some(1 << 46));
        assert_eq!(place("config:0-7,32-35", 0x18e), Some(0x1_0000_008e));
        assert_eq!(place("config:0-63", u64::MAX), Some(u64::MAX));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for (format, value) in
            [("config:46", 2), ("config1:0-7", 1), ("config:9-8", 1), ("config:0-64", 1), ("x", 1)]
        {
            assert_eq!(place(format, value), None, "{format}");
        }
        assert_eq!(encode(&BTreeMap::new(), &[("event", 1)]), None);
    }
}
