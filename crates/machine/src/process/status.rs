//! `/proc/PID/status`: allowed CPUs and nodes, resident and swapped memory.

use nearfar_model::{Bytes, CpuSet, NodeSet};

/// Limits and memory of a process or a thread. Unknown values are `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskStatus {
    /// CPUs it may run on.
    pub cpus: Option<CpuSet>,
    /// Nodes that its cpuset allows for memory.
    pub nodes: Option<NodeSet>,
    /// Swapped memory.
    pub swapped: Option<Bytes>,
    /// Resident memory, file pages included; `None` for kernel threads.
    pub resident: Option<Bytes>,
    /// Memory of pools of huge pages, which `resident` lacks; `None` for kernel threads.
    pub huge: Option<Bytes>,
    /// Memory that it has locked (mlock).
    pub locked: Option<Bytes>,
    /// Memory that is pinned, for DMA mostly: it cannot move.
    pub pinned: Option<Bytes>,
}

impl TaskStatus {
    /// Parses the file; malformed lines are ignored.
    ///
    /// # References
    ///
    /// proc_pid_status(5)
    pub fn parse(text: &str) -> Self {
        let mut status = Self::default();
        for (key, value) in text.lines().filter_map(|line| line.split_once(':')) {
            let value = value.trim();
            match key {
                "Cpus_allowed_list" => status.cpus = CpuSet::parse_list(value).ok(),
                "Mems_allowed_list" => status.nodes = NodeSet::parse_list(value).ok(),
                "VmSwap" => status.swapped = value.parse().ok(),
                "VmRSS" => status.resident = value.parse().ok(),
                "VmLck" => status.locked = value.parse().ok(),
                "VmPin" => status.pinned = value.parse().ok(),
                "HugetlbPages" => status.huge = value.parse().ok(),
                _ => {}
            }
        }
        status
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn allowed_sets_and_sizes_are_parsed() {
        let status = TaskStatus::parse(
            "Name:\tcat: x\nUid:\t1000\t1001\t1000\t1000\nVmRSS:\t   1024 kB\nVmSwap:\t 0 \
             kB\nVmLck:\t       4 kB\nVmPin:\t 8 kB\n\
             Cpus_allowed_list:\t0-3,8\nMems_allowed_list:\t0,255\n",
        );
        assert_eq!((status.resident, status.swapped), (Some(Bytes::mib(1)), Some(Bytes(0))));
        assert_eq!((status.locked, status.pinned), (Some(Bytes::kib(4)), Some(Bytes::kib(8))));
        assert_eq!(status.cpus.unwrap().to_string(), "0-3,8");
        assert_eq!(status.nodes.unwrap().to_string(), "0,255");
    }

    #[test]
    fn missing_and_malformed_values_are_none() {
        let text = "VmRSS:\tmany\nCpus_allowed_list:\t3-1\n";
        assert_eq!(TaskStatus::parse(text), TaskStatus::default());
    }

    proptest! {
        #[test]
        fn any_text_is_parsed(
            text in "((VmSwap|VmRSS|Cpus_allowed_list|Mems_allowed_list)?:?\t?\\PC{0,20}\n){0,10}"
        ) {
            TaskStatus::parse(&text);
        }
    }
}
