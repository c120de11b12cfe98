//! Kinds of CPUs of hybrid machines: fast cores and efficient ones.

use std::collections::BTreeMap;

use nearfar_model::{CpuId, CpuSet};
use serde::Serialize;

use crate::attribute::Attributes;

/// The kernel's PMUs of hybrid x86 machines, and what their cores are called.
const PMUS: [(&str, &str); 3] =
    [("cpu_core", "P-cores"), ("cpu_atom", "E-cores"), ("cpu_lowpower", "LP-E-cores")];

/// CPUs of one kind, of a machine with several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct CpuKind {
    /// "P-cores", "E-cores", "capacity 446" (Arm; the fastest have 1024) or "base 1.9 GHz".
    pub name: String,
    /// Its CPUs.
    pub cpus: CpuSet,
}

/// The kinds, the fastest first; empty where all CPUs are alike, or where the kernel does not show
/// kinds.
///
/// # References
///
/// Documentation/ABI/testing/sysfs-bus-event_source-devices, sysfs-devices-system-cpu
/// (`cpu_capacity`); Documentation/admin-guide/pm/intel_pstate.rst (`base_frequency`)
pub(super) fn read_all(read: &Attributes<'_>, online: &CpuSet) -> Vec<CpuKind> {
    let of_pmu = |(pmu, name): (&str, &str)| {
        let cpus: CpuSet = read.list(&format!("/sys/devices/{pmu}/cpus"))?;
        let cpus = cpus.intersection(online);
        (!cpus.is_empty()).then(|| CpuKind { name: name.to_owned(), cpus })
    };
    let mut kinds: Vec<CpuKind> = PMUS.into_iter().filter_map(of_pmu).collect();
    if kinds.is_empty() {
        kinds = by_number(read, online, "cpu_capacity", |capacity| format!("capacity {capacity}"));
    }
    if kinds.len() < 2 {
        // Largest frequencies differ between equal cores, which have favourites among them.
        kinds = by_number(read, online, "cpufreq/base_frequency", |khz| {
            format!("base {} GHz", f64::from(khz / 1000) / 1000.0)
        });
    }
    if kinds.len() < 2 { Vec::new() } else { kinds }
}

/// By a number that the kernel has of each CPU, the largest first.
fn by_number(
    read: &Attributes<'_>,
    online: &CpuSet,
    file: &str,
    named: fn(u32) -> String,
) -> Vec<CpuKind> {
    let number = |cpu: CpuId| read.parsed(&format!("/sys/devices/system/cpu/cpu{cpu}/{file}"));
    let mut numbers: BTreeMap<u32, CpuSet> = BTreeMap::new();
    for cpu in online.iter() {
        // Where one CPU has none, all have none.
        let Some(number) = number(cpu) else { return Vec::new() };
        numbers.entry(number).or_default().extend([cpu]);
    }
    let kinds = numbers.into_iter().rev();
    kinds.map(|(number, cpus)| CpuKind { name: named(number), cpus }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    fn kinds(files: &[(&str, &str)]) -> Vec<(String, String)> {
        let source = Source::from_files(files.iter().copied());
        let online: CpuSet = "0-3".parse().unwrap();
        let kinds = read_all(&Attributes::new(&source), &online);
        kinds.into_iter().map(|kind| (kind.name, kind.cpus.to_string())).collect()
    }

    fn named(kinds: &[(&str, &str)]) -> Vec<(String, String)> {
        kinds.iter().map(|(name, cpus)| ((*name).to_owned(), (*cpus).to_owned())).collect()
    }

    #[test]
    fn pmus_name_the_kinds_of_x86() {
        let both = [("/sys/devices/cpu_atom/cpus", "2-3"), ("/sys/devices/cpu_core/cpus", "0-1,8")];
        assert_eq!(kinds(&both), named(&[("P-cores", "0-1"), ("E-cores", "2-3")]));
        assert_eq!(kinds(&both[..1]), [], "one kind is none");
    }

    #[test]
    fn capacities_name_the_kinds_of_arm() {
        let path = |cpu: u32| format!("/sys/devices/system/cpu/cpu{cpu}/cpu_capacity");
        let paths = [0, 1, 2, 3].map(path);
        let files: Vec<(&str, &str)> =
            paths.iter().map(String::as_str).zip(["446", "446", "1024", "1024"]).collect();
        assert_eq!(kinds(&files), named(&[("capacity 1024", "2-3"), ("capacity 446", "0-1")]));
        assert_eq!(kinds(&files[1..]), [], "one CPU has no capacity");
        let equal: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), "1024")).collect();
        assert_eq!(kinds(&equal), []);
    }

    #[test]
    fn base_frequencies_name_the_kinds_without_pmus() {
        let path = |cpu: u32| format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/base_frequency");
        let paths = [0, 1, 2, 3].map(path);
        let files: Vec<(&str, &str)> = paths
            .iter()
            .map(String::as_str)
            .zip(["1900000", "1900000", "1400000", "1400000"])
            .collect();
        assert_eq!(kinds(&files), named(&[("base 1.9 GHz", "0-1"), ("base 1.4 GHz", "2-3")]));
    }
}
