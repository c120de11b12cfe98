//! The kernel's release, command line and reserved CPUs.

use nearfar_firmware::linux::KernelParameters;
use nearfar_model::CpuSet;
use serde::Serialize;

use crate::attribute::Attributes;

/// The kernel and its command line.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct BootSettings {
    /// `/proc/version`: release, compiler, build; not who built it.
    pub kernel_version: Option<String>,
    /// The parameters of `/proc/cmdline` that are [read](nearfar_firmware::linux::KernelParameter);
    /// others may be secrets.
    pub command_line: Option<KernelParameters>,
    /// CPUs isolated from the scheduler (`isolcpus`).
    pub isolated: Option<CpuSet>,
    /// CPUs without a periodic tick (`nohz_full`).
    pub nohz_full: Option<CpuSet>,
}

pub(super) fn read(read: &Attributes<'_>) -> BootSettings {
    BootSettings {
        kernel_version: read.text("/proc/version").map(|text| without_builder(&text)),
        command_line: read.any_text("/proc/cmdline").map(|text| KernelParameters::parse(&text)),
        isolated: read.list("/sys/devices/system/cpu/isolated"),
        nohz_full: read.list("/sys/devices/system/cpu/nohz_full"),
    }
}

/// "Linux version 6.1.0 (me@host) (gcc 12) #1" without a name of a user and a host.
fn without_builder(text: &str) -> String {
    let builder = || {
        let (before, rest) = text.split_once(" (")?;
        let (builder, after) = rest.split_once(')')?;
        builder.contains('@').then(|| format!("{before}{after}"))
    };
    builder().unwrap_or_else(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    #[test]
    fn only_known_parameters_and_no_builder_are_read() {
        let source = Source::from_files([
            ("/proc/version", "Linux version 6.1.0 (me@apollo) (gcc 12) #1 SMP\n"),
            ("/proc/cmdline", "root=/dev/sda1 numa=off token=x numa=apollo\n"),
        ]);
        let boot = super::read(&Attributes::new(&source));
        assert_eq!(boot.kernel_version.as_deref(), Some("Linux version 6.1.0 (gcc 12) #1 SMP"));
        let parameters = boot.command_line.as_ref().unwrap();
        assert_eq!((parameters.text().as_str(), parameters.others), ("numa=off", 2));
        let json = serde_json::to_string(&boot).unwrap();
        assert!(json.contains("\"command_line\":\"numa=off\"") && !json.contains("apollo"));
    }
}
