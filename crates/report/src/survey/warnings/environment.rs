//! Warnings that the machine's settings and counters give.

use nearfar_survey::{EnvironmentWarning, MachineSummary};

use super::WarningText;

pub(super) fn text(warning: &EnvironmentWarning, machine: &MachineSummary) -> WarningText {
    match warning {
        EnvironmentWarning::CpuQuota { cpus } => WarningText::with_remedy(
            format!(
                "A cgroup limits this process to {cpus:.2} CPUs. The kernel stops it above that."
            ),
            "run outside the container, or without its CPU limit",
        ),
        EnvironmentWarning::Throttled { periods, throttled_us } => {
            throttled(*periods, *throttled_us)
        }
        EnvironmentWarning::NumaBalancing { pages } => WarningText::with_remedy(
            format!(
                "Automatic NUMA balancing moved {pages} pages of programs on this machine during \
                 the run."
            ),
            "sysctl kernel.numa_balancing=0 while surveying",
        ),
        EnvironmentWarning::Steal { share } => WarningText::with_remedy(
            format!(
                "The hypervisor ran other guests for {:.1} % of the CPU time (steal).",
                share * 100.0
            ),
            "use a dedicated host, or measure when it is idle",
        ),
        EnvironmentWarning::Load { average, cpus } => WarningText::with_remedy(
            format!(
                "Other programs were running. The load before the run was {average:.1} on {cpus} \
                 CPUs."
            ),
            "stop them, or select idle CPUs with --cpus",
        ),
        EnvironmentWarning::Hypervisor { name, nodes } => {
            WarningText::without_remedy(hypervisor(name, *nodes))
        }
        EnvironmentWarning::Governor { governors } => WarningText::with_remedy(
            format!(
                "The frequency governor is {}. Clocks follow the load with a delay.",
                governors.join(", ")
            ),
            // A guest's clocks are its host's to set.
            match machine.hypervisor {
                Some(_) => "set the host's governor to performance",
                None => "cpupower frequency-set -g performance",
            },
        ),
        EnvironmentWarning::ThpOff { .. } => WarningText::with_remedy(
            "Transparent huge pages are off. Base pages are measured unless hugetlb pages are \
             reserved.",
            "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
        ),
    }
}

fn throttled(periods: u64, throttled_us: Option<u64>) -> WarningText {
    let time =
        throttled_us.map_or_else(String::new, |us| format!(", for {:.2} s", us as f64 / 1e6));
    WarningText::with_remedy(
        format!(
            "The CPU limit of the cgroup stopped its processes in {periods} periods{time}. Figures \
             may include the stops."
        ),
        "raise cpu.max (v1: cpu.cfs_quota_us) of this cgroup, or measure outside of it",
    )
}

fn hypervisor(name: &str, nodes: usize) -> String {
    if nodes <= 1 {
        format!(
            "This {name} guest has one node. The host may have several, and may move the guest's \
             CPUs between them."
        )
    } else {
        format!("This is a {name} guest. Its nodes match the host's only if the host pins them.")
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::survey;
    use super::*;

    #[test]
    fn a_guests_governor_is_set_on_its_host() {
        let governor = EnvironmentWarning::Governor { governors: vec!["ondemand".to_owned()] };
        let mut machine = survey().machine;
        machine.hypervisor = None;
        assert!(text(&governor, &machine).remedy.unwrap().starts_with("cpupower "));
        machine.hypervisor = Some("KVM".to_owned());
        let remedy = text(&governor, &machine).remedy.unwrap();
        assert_eq!(remedy, "set the host's governor to performance");
    }

    #[test]
    fn throttling_names_periods_time_and_remedy() {
        let throttled = throttled(12, Some(1_230_000));
        assert!(throttled.text.contains("in 12 periods, for 1.23 s"));
        assert!(throttled.remedy.unwrap().contains("cpu.max"));
    }
}
