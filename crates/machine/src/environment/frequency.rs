//! CPU frequency settings (Documentation/admin-guide/pm/cpufreq.rst).

use std::collections::BTreeSet;

use serde::Serialize;

use crate::attribute::Attributes;

const CPU: &str = "/sys/devices/system/cpu";

/// Driver, governors and limits.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct FrequencySettings {
    /// "intel_pstate", "amd-pstate-epp", "acpi-cpufreq"; none in most virtual machines.
    pub driver: Option<String>,
    /// The distinct governors in use; mostly one, such as "performance".
    pub governors: Vec<String>,
    /// Whether CPUs may exceed their base frequency.
    pub turbo: Option<bool>,
    /// The lowest minimum frequency of all CPUs, in kHz.
    pub min_khz: Option<u64>,
    /// The highest maximum frequency of all CPUs, in kHz.
    pub max_khz: Option<u64>,
}

pub(super) fn read(read: &Attributes<'_>) -> FrequencySettings {
    let policies = policies(read);
    let values = |name: &str| -> Vec<u64> {
        policies.iter().filter_map(|policy| read.parsed(&format!("{policy}/{name}"))).collect()
    };
    let texts = |name: &str| -> BTreeSet<String> {
        policies.iter().filter_map(|policy| read.text(&format!("{policy}/{name}"))).collect()
    };
    FrequencySettings {
        driver: texts("scaling_driver").pop_first(),
        governors: texts("scaling_governor").into_iter().collect(),
        turbo: turbo(read, &policies),
        min_khz: values("scaling_min_freq").into_iter().min(),
        max_khz: values("scaling_max_freq").into_iter().max(),
    }
}

/// Folders of frequency policies; before Linux 4.2 each CPU has its own.
fn policies(read: &Attributes<'_>) -> Vec<String> {
    let shared = read.source.numbered(&format!("{CPU}/cpufreq"), "policy");
    if !shared.is_empty() {
        return shared.into_iter().map(|number| format!("{CPU}/cpufreq/policy{number}")).collect();
    }
    read.source
        .numbered(CPU, "cpu")
        .into_iter()
        .map(|cpu| format!("{CPU}/cpu{cpu}/cpufreq"))
        .collect()
}

/// Intel's driver reports whether turbo is disabled, others whether it is enabled, for all CPUs or
/// each policy.
fn turbo(read: &Attributes<'_>, policies: &[String]) -> Option<bool> {
    let flag = |path: &str| read.parsed::<u32>(path).map(|value| value != 0);
    let intel = flag(&format!("{CPU}/intel_pstate/no_turbo")).map(|off| !off);
    let any = || {
        policies.iter().filter_map(|policy| flag(&format!("{policy}/boost"))).reduce(|a, b| a || b)
    };
    intel.or_else(|| flag(&format!("{CPU}/cpufreq/boost"))).or_else(any)
}
