//! The kernel's release, command line and reserved CPUs.

use nearfar_linux::KernelParameters;
use nearfar_model::CpuSet;
use serde::Serialize;

use crate::attribute::Attributes;

/// The kernel and its command line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BootSettings {
    /// `/proc/version`: release, compiler, build.
    pub kernel_version: Option<String>,
    /// The parameters of `/proc/cmdline` that are [read](nearfar_linux::KernelParameter); others
    /// may be secrets.
    pub command_line: Option<KernelParameters>,
    /// CPUs isolated from the scheduler (`isolcpus`).
    pub isolated: Option<CpuSet>,
    /// CPUs without a periodic tick (`nohz_full`).
    pub nohz_full: Option<CpuSet>,
}

pub(super) fn read(read: &Attributes<'_>) -> BootSettings {
    BootSettings {
        kernel_version: read.text("/proc/version"),
        command_line: read.any_text("/proc/cmdline").map(|text| KernelParameters::parse(&text)),
        isolated: read.list("/sys/devices/system/cpu/isolated"),
        nohz_full: read.list("/sys/devices/system/cpu/nohz_full"),
    }
}
