//! Event sources of perf (PMUs), and who may count their events.

use std::collections::BTreeMap;

use nearfar_model::CpuSet;

use crate::attribute::Attributes;
use crate::environment::hypervisor;
use crate::source::{FolderNames, Source};
use crate::topology::CpuFamily;

const DEVICES: &str = "/sys/bus/event_source/devices";

/// What decides whether events can be counted here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventSources {
    /// The CPU, on x86.
    pub cpu: Option<CpuFamily>,
    /// Names of PMUs: "cpu", "amd_l3", "software". `None` if the kernel shows no event sources.
    pub names: Option<Vec<String>>,
    /// `kernel.perf_event_paranoid`; `None` if it is not readable.
    pub paranoid: Option<i32>,
    /// Whether the NMI watchdog runs, which uses a counter of each CPU.
    pub nmi_watchdog: bool,
    /// Whether this is a guest of a hypervisor.
    pub is_guest: bool,
}

/// A PMU by its folder in sysfs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pmu {
    /// Its number for perf_event_open(2).
    pub kind: u32,
    /// CPUs on which its events are opened: one for each instance. Empty for PMUs of CPUs.
    pub cpus: CpuSet,
    /// Fields of events as sysfs has them: `umask` is "config:8-15".
    pub formats: BTreeMap<String, String>,
}

impl EventSources {
    /// Reads them. Never fails.
    ///
    /// # References
    ///
    /// Documentation/admin-guide/perf-security.rst, Documentation/admin-guide/sysctl/kernel.rst
    pub fn read(source: &Source) -> Self {
        let number = |path| source.text(path).and_then(|text| text.parse::<i32>().ok());
        Self {
            cpu: CpuFamily::read(source),
            names: match source.names(DEVICES) {
                FolderNames::Names(names) => Some(names),
                FolderNames::Absent | FolderNames::Denied => None,
            },
            paranoid: number("/proc/sys/kernel/perf_event_paranoid"),
            nmi_watchdog: number("/proc/sys/kernel/nmi_watchdog") == Some(1),
            is_guest: hypervisor::read(&Attributes::new(source)).is_some(),
        }
    }
}

impl Pmu {
    /// Reads a PMU; `None` if the kernel has none of this name.
    ///
    /// # References
    ///
    /// Documentation/ABI/testing/sysfs-bus-event_source-devices-format
    pub fn read(source: &Source, name: &str) -> Option<Self> {
        let folder = format!("{DEVICES}/{name}");
        let kind = source.text(&format!("{folder}/type"))?.parse().ok()?;
        let cpus = source.text(&format!("{folder}/cpumask"));
        let fields = source.list(&format!("{folder}/format"));
        let formats = fields.into_iter().filter_map(|field| {
            let bits = source.text(&format!("{folder}/format/{field}"))?;
            Some((field, bits))
        });
        Some(Self {
            kind,
            cpus: cpus.and_then(|list| CpuSet::parse_list(&list).ok()).unwrap_or_default(),
            formats: formats.collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_sources_are_read() {
        let source = Source::from_files([
            ("/proc/cpuinfo", "vendor_id : AuthenticAMD\ncpu family : 25\nmodel : 17\nflags : lm"),
            ("/proc/sys/kernel/perf_event_paranoid", "-1\n"),
            ("/proc/sys/kernel/nmi_watchdog", "1\n"),
            ("/sys/bus/event_source/devices/cpu/type", "4\n"),
            ("/sys/bus/event_source/devices/amd_l3/type", "14\n"),
            ("/sys/bus/event_source/devices/amd_l3/cpumask", "0,8\n"),
            ("/sys/bus/event_source/devices/amd_l3/format/umask", "config:8-15\n"),
        ]);
        let sources = EventSources::read(&source);
        assert_eq!(sources.names.unwrap(), ["amd_l3", "cpu"]);
        assert_eq!(sources.cpu.unwrap().model, 17);
        assert_eq!(
            (sources.paranoid, sources.nmi_watchdog, sources.is_guest),
            (Some(-1), true, false)
        );
        let l3 = Pmu::read(&source, "amd_l3").unwrap();
        assert_eq!((l3.kind, l3.cpus.to_string()), (14, "0,8".to_owned()));
        assert_eq!(l3.formats["umask"], "config:8-15");
        assert_eq!(Pmu::read(&source, "amd_df"), None);
    }

    #[test]
    fn what_is_not_readable_is_absent() {
        let none = EventSources::read(&Source::from_files([("/proc/mounts", "")]));
        assert_eq!(none, EventSources::default());
    }
}
