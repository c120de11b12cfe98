//! System load and CPU limits of this process.

use serde::Serialize;

use crate::attribute::Attributes;
use crate::cgroup::{self, CgroupVersion};

/// Load and limits.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct SystemLoad {
    /// Load average over 1, 5 and 15 minutes, in threads.
    pub average: Option<[f64; 3]>,
    /// CPU quota of the cgroup in CPUs (1.5 is one and a half); `None` without a limit.
    pub cpu_quota: Option<f64>,
}

pub(super) fn read(read: &Attributes<'_>) -> SystemLoad {
    SystemLoad { average: average(read), cpu_quota: cpu_quota(read) }
}

fn average(read: &Attributes<'_>) -> Option<[f64; 3]> {
    let text = read.text("/proc/loadavg")?;
    let mut numbers = text
        .split_whitespace()
        .map(|number| number.parse().ok().filter(|load: &f64| load.is_finite()));
    Some([numbers.next()??, numbers.next()??, numbers.next()??])
}

/// The lowest limit of the process's group and its parents.
fn cpu_quota(read: &Attributes<'_>) -> Option<f64> {
    let folders = cgroup::folders(read.source, "cpu").into_iter();
    folders.filter_map(|(version, folder)| limit(read, version, &folder)).reduce(f64::min)
}

/// Version 2: "50000 100000" or "max 100000" (quota and period in microseconds); version 1: two
/// files, -1 for no limit.
fn limit(read: &Attributes<'_>, version: CgroupVersion, folder: &str) -> Option<f64> {
    let (quota, period): (f64, f64) = match version {
        CgroupVersion::V2 => {
            let text = read.text(&format!("{folder}/cpu.max"))?;
            let (quota, period) = text.split_once(' ')?;
            (quota.parse().ok()?, period.parse().ok()?)
        }
        CgroupVersion::V1 => (
            read.parsed(&format!("{folder}/cpu.cfs_quota_us"))?,
            read.parsed(&format!("{folder}/cpu.cfs_period_us"))?,
        ),
    };
    Some(quota / period).filter(|cpus| cpus.is_finite() && *cpus > 0.0)
}
