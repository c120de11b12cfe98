//! `/proc/PID/status`: which CPUs and nodes a process or thread may use, what is swapped out.

use nearfar_model::{Bytes, CpuSet, NodeSet};

/// What the kernel tells of a process or a thread in words. What it does not tell is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskStatus {
    /// CPUs it may run on.
    pub cpus: Option<CpuSet>,
    /// Nodes that its cpuset lets it have memory from.
    pub nodes: Option<NodeSet>,
    /// Memory that is swapped out.
    pub swapped: Option<Bytes>,
    /// Memory that is there, file pages included; none for the kernel's threads.
    pub resident: Option<Bytes>,
}

impl TaskStatus {
    /// Reads the file; lines that make no sense are as if they were absent.
    pub fn parse(text: &str) -> Self {
        let mut status = Self::default();
        for (key, value) in text.lines().filter_map(|line| line.split_once(':')) {
            let value = value.trim();
            match key {
                "Cpus_allowed_list" => status.cpus = CpuSet::parse_list(value).ok(),
                "Mems_allowed_list" => status.nodes = NodeSet::parse_list(value).ok(),
                "VmSwap" => status.swapped = value.parse().ok(),
                "VmRSS" => status.resident = value.parse().ok(),
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
    fn reads_where_and_how_much() {
        let status = TaskStatus::parse(
            "Name:\tcat: x\nUid:\t1000\t1001\t1000\t1000\nVmRSS:\t   1024 kB\nVmSwap:\t 0 \
             kB\nCpus_allowed_list:\t0-3,8\nMems_allowed_list:\t0,255\n",
        );
        assert_eq!((status.resident, status.swapped), (Some(Bytes::mib(1)), Some(Bytes(0))));
        assert_eq!(status.cpus.unwrap().to_string(), "0-3,8");
        assert_eq!(status.nodes.unwrap().to_string(), "0,255");
    }

    #[test]
    fn what_is_absent_or_senseless_is_none() {
        let text = "VmRSS:\tmany\nCpus_allowed_list:\t3-1\n";
        assert_eq!(TaskStatus::parse(text), TaskStatus::default());
    }

    proptest! {
        #[test]
        fn no_text_causes_a_panic(text in "((VmSwap|VmRSS|Cpus_allowed_list|Mems_allowed_list)?:?\t?\\PC{0,20}\n){0,10}") {
            TaskStatus::parse(&text);
        }
    }
}
