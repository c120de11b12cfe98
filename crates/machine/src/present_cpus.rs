//! The CPUs of a running kernel with their hardware IDs.

use nearfar_firmware::linux::PresentCpu;

use crate::source::Source;

/// The CPUs of `/proc/cpuinfo`; empty without hardware IDs (all but x86).
///
/// # References
///
/// proc_cpuinfo(5)
pub fn present_cpus(source: &Source) -> Vec<PresentCpu> {
    source.text("/proc/cpuinfo").map(|text| PresentCpu::from_cpuinfo(&text)).unwrap_or_default()
}
