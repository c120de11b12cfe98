//! Hardware prefetchers, if their register is readable.

use serde::Serialize;

use crate::source::{FileContents, Source};

/// Bits of Intel's MSR 0x1a4; a set bit turns the prefetcher off. From "Disclosure of Hardware
/// Prefetcher Control on Some Intel Processors" (2014) and the Software Developer's Manual, volume
/// 4.
const INTEL: [(u32, &str); 4] =
    [(0, "l2"), (1, "l2-adjacent-line"), (2, "l1-data"), (3, "l1-data-ip")];
const INTEL_REGISTER: u64 = 0x1a4;
const DEVICE: &str = "/dev/cpu/0/msr";

/// The prefetchers of CPU 0.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Prefetchers {
    /// All prefetchers, if readable.
    pub state: Option<Vec<Prefetcher>>,
    /// Why they are not readable, and what would help.
    pub why: Option<String>,
}

/// One prefetcher.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Prefetcher {
    /// "l2", "l2-adjacent-line", "l1-data" or "l1-data-ip".
    pub name: &'static str,
    /// Whether it is enabled.
    pub enabled: bool,
}

pub(super) fn read(source: &Source) -> Prefetchers {
    match intel(source) {
        Ok(state) => Prefetchers { state: Some(state), why: None },
        Err(why) => Prefetchers { state: None, why: Some(why.to_owned()) },
    }
}

fn intel(source: &Source) -> Result<Vec<Prefetcher>, &'static str> {
    if !source.is_live() {
        return Err("a captured machine has no CPU registers");
    }
    let vendor = source.text("/proc/cpuinfo").unwrap_or_default();
    if !vendor.contains("GenuineIntel") {
        return Err("only Intel's prefetch register is supported");
    }
    match source.device(DEVICE, INTEL_REGISTER, 8) {
        FileContents::Bytes(bytes) => Ok(decoded(&bytes)),
        FileContents::Denied => Err("only root may read CPU registers: run as root"),
        FileContents::Absent => {
            Err("no readable CPU register: load the module msr; virtual machines often hide it")
        }
    }
}

fn decoded(register: &[u8]) -> Vec<Prefetcher> {
    let bits = register.first().copied().unwrap_or(0);
    INTEL.iter().map(|&(bit, name)| Prefetcher { name, enabled: bits >> bit & 1 == 0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_bits_disable_prefetchers() {
        let off: Vec<&str> = decoded(&[0b1010, 0, 0, 0, 0, 0, 0, 0])
            .into_iter()
            .filter(|one| !one.enabled)
            .map(|one| one.name)
            .collect();
        assert_eq!(off, ["l2-adjacent-line", "l1-data-ip"]);
    }

    #[test]
    fn unreadable_registers_have_a_reason() {
        let captured = read(&Source::from_files([("/proc/cpuinfo", "vendor_id : GenuineIntel\n")]));
        assert_eq!(
            (captured.state, captured.why.as_deref()),
            (None, Some("a captured machine has no CPU registers"))
        );
    }
}
