//! The words of a kernel's command line that bear on measuring memory.

/// Beginnings of such words; see the kernel's `Documentation/admin-guide/kernel-parameters.txt`.
const MEMORY_OPTIONS: [&str; 30] = [
    "acpi",
    "amd_pstate",
    "cgroup",
    "clocksource",
    "cpuidle",
    "default_hugepagesz",
    "efi_fake_mem",
    "hmat",
    "hugepage",
    "idle",
    "intel_idle",
    "intel_pstate",
    "irqaffinity",
    "isolcpus",
    "kernelcore",
    "maxcpus",
    "mem",
    "mitigations",
    "mminit",
    "movable",
    "nohz",
    "nosmt",
    "nr_cpus",
    "numa",
    "possible_cpus",
    "processor.",
    "rcu_nocbs",
    "thp",
    "transparent_hugepage",
    "tsc",
];

/// Those words, in order.
pub(crate) fn memory_options(command_line: &str) -> String {
    let words = command_line
        .split_whitespace()
        .filter(|word| MEMORY_OPTIONS.iter().any(|start| word.starts_with(start)));
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_options_about_memory_are_kept() {
        let line = "root=UUID=1-2-3 quiet numa=off password=secret isolcpus=2-3 \
                    transparent_hugepage=never";
        assert_eq!(memory_options(line), "numa=off isolcpus=2-3 transparent_hugepage=never");
    }
}
