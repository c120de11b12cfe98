//! What a driver reports about a GPU.

use serde::{Deserialize, Serialize};

/// A GPU, as its driver describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GpuIdentity {
    /// Its number in this process: environment variables hide and reorder GPUs.
    pub index: usize,
    /// Its product name.
    pub name: String,
    /// Its address on the PCI bus, as sysfs writes it (`0000:3b:00.0`); absent where the driver
    /// reports none.
    pub address: Option<String>,
    /// Its memory.
    pub memory_bytes: u64,
    /// The node of the host that the driver claims to be nearest; -1 where the driver claims that
    /// the system has no nodes; absent where the driver is too old to know.
    pub claimed_node: Option<i32>,
    /// Whether it is a slice of a GPU (MIG).
    pub is_mig: bool,
}

/// An address of the PCI bus as sysfs writes it, from a driver's: the domain has at least four
/// digits, and letters are small.
pub(crate) fn sysfs_address(text: &str) -> Option<String> {
    let text = text.trim().to_ascii_lowercase();
    let (domain, rest) = text.split_once(':')?;
    let domain = u32::from_str_radix(domain, 16).ok()?;
    let (bus, slot) = rest.split_once(':')?;
    let slot = if slot.contains('.') { slot.to_owned() } else { format!("{slot}.0") };
    (bus.len() == 2 && slot.len() == 4).then(|| format!("{domain:04x}:{bus}:{slot}"))
}

#[cfg(test)]
mod tests {
    use super::sysfs_address;

    #[test]
    fn addresses_are_those_of_sysfs() {
        assert_eq!(sysfs_address("0000:3B:00.0").as_deref(), Some("0000:3b:00.0"));
        assert_eq!(sysfs_address("00000000:3B:00.0").as_deref(), Some("0000:3b:00.0"));
        assert_eq!(sysfs_address("10000:e1:00.0").as_deref(), Some("10000:e1:00.0"));
        assert_eq!(sysfs_address("0000:3b:00").as_deref(), Some("0000:3b:00.0"));
        assert_eq!(sysfs_address("").as_deref(), None);
        assert_eq!(sysfs_address("3b:00.0").as_deref(), None);
    }
}
