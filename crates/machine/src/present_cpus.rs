//! The CPUs that a running kernel numbers, with their hardware's ids.

use nearfar_linux::PresentCpu;

use crate::source::Source;

/// The CPUs of `/proc/cpuinfo`; empty where it does not tell their hardware's ids (all but x86).
pub fn present_cpus(source: &Source) -> Vec<PresentCpu> {
    source.text("/proc/cpuinfo").map(|text| PresentCpu::from_cpuinfo(&text)).unwrap_or_default()
}
