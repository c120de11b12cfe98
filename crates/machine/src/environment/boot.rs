//! The kernel's release, command line and reserved CPUs.

use nearfar_model::CpuSet;
use serde::Serialize;

use crate::attribute::Attributes;

/// The kernel and its command line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BootSettings {
    /// `/proc/version`: release, compiler, build.
    pub kernel_version: Option<String>,
    /// `/proc/cmdline`.
    pub command_line: Option<String>,
    /// CPUs isolated from the scheduler (`isolcpus`).
    pub isolated: Option<CpuSet>,
    /// CPUs without a periodic tick (`nohz_full`).
    pub nohz_full: Option<CpuSet>,
}

pub(super) fn read(read: &Attributes<'_>) -> BootSettings {
    BootSettings {
        kernel_version: read.text("/proc/version"),
        command_line: read.text("/proc/cmdline"),
        isolated: read.list("/sys/devices/system/cpu/isolated"),
        nohz_full: read.list("/sys/devices/system/cpu/nohz_full"),
    }
}
