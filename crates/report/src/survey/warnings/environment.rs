//! Warnings that the machine's settings and counters give.

use nearfar_survey::{EnvironmentWarning, Machine};

use super::Told;

pub(super) fn told(warning: &EnvironmentWarning, machine: &Machine) -> Told {
    match warning {
        EnvironmentWarning::CpuQuota { cpus } => Told::new(
            format!(
                "A cgroup limits this process to {cpus:.2} CPUs: it is stopped whenever that is \
                 used up."
            ),
            "run outside the container, or without its CPU limit",
        ),
        EnvironmentWarning::Throttled { periods, throttled_us } => {
            throttled(*periods, *throttled_us)
        }
        EnvironmentWarning::NumaBalancing { pages } => Told::new(
            format!(
                "Automatic NUMA balancing moved {pages} pages of this machine's programs during \
                 the run."
            ),
            "sysctl kernel.numa_balancing=0 while surveying",
        ),
        EnvironmentWarning::Steal { share } => Told::new(
            format!(
                "The hypervisor ran others for {:.1} % of the CPUs' time during the run.",
                share * 100.0
            ),
            "a dedicated host, or a quieter hour",
        ),
        EnvironmentWarning::Load { average, cpus } => Told::new(
            format!(
                "Other programs were running: the load was {average:.1} on {cpus} CPUs before the \
                 run."
            ),
            "stop them, or name quieter CPUs with --cpus",
        ),
        EnvironmentWarning::Hypervisor { name, nodes } => {
            Told::without_remedy(hypervisor(name, *nodes))
        }
        EnvironmentWarning::Governor { governors } => Told::new(
            format!(
                "The frequency governor is {}: clocks follow the load with a delay.",
                governors.join(", ")
            ),
            // A guest's clocks are its host's to set.
            match machine.hypervisor {
                Some(_) => "set the host's governor to performance",
                None => "cpupower frequency-set -g performance",
            },
        ),
        EnvironmentWarning::ThpOff { .. } => Told::new(
            "Transparent huge pages are off: base pages are measured unless hugetlb pages are \
             reserved."
                .to_owned(),
            "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
        ),
    }
}

fn throttled(periods: u64, throttled_us: Option<u64>) -> Told {
    let for_how_long =
        throttled_us.map_or_else(String::new, |us| format!(", {:.2} s in all", us as f64 / 1e6));
    Told::new(
        format!(
            "The cgroup's limit of CPU time stopped its processes in {periods} periods during the \
             run{for_how_long}: figures may be of stopped CPUs."
        ),
        "raise cpu.max (v1: cpu.cfs_quota_us) of this cgroup, or measure outside of it",
    )
}

fn hypervisor(name: &str, nodes: usize) -> String {
    if nodes <= 1 {
        format!(
            "This is a {name} guest with one node: the host's nodes may lie beneath it, and its \
             CPUs may move between them."
        )
    } else {
        format!("This is a {name} guest: its nodes are the host's only if the host pins them.")
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::survey;
    use super::*;

    #[test]
    fn a_guests_clocks_are_set_on_its_host() {
        let governor = EnvironmentWarning::Governor { governors: vec!["ondemand".to_owned()] };
        let mut machine = survey().machine;
        machine.hypervisor = None;
        assert!(told(&governor, &machine).remedy.unwrap().starts_with("cpupower "));
        machine.hypervisor = Some("KVM".to_owned());
        let remedy = told(&governor, &machine).remedy.unwrap();
        assert_eq!(remedy, "set the host's governor to performance");
    }

    #[test]
    fn throttling_is_told_with_its_remedy() {
        let throttled = throttled(12, Some(1_230_000));
        assert!(throttled.text.contains("in 12 periods during the run, 1.23 s in all"));
        assert!(throttled.remedy.unwrap().contains("cpu.max"));
    }
}
