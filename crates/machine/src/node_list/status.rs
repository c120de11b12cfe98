//! What the kernel says this process may use, of `/proc/self/status`.

use nearfar_model::{CpuSet, Id, IdSet, NodeSet};

use crate::source::Source;

const STATUS: &str = "/proc/self/status";

/// The process's own masks. CPUs are those of its affinity, which the cpuset bounds; nodes are the cpuset's.
#[derive(Debug, Default)]
pub(super) struct Status {
    pub(super) cpus: Option<CpuSet>,
    pub(super) nodes: Option<NodeSet>,
}

impl Status {
    pub(super) fn read(source: &Source) -> Self {
        let text = source.text(STATUS).unwrap_or_default();
        Self { cpus: list(&text, "Cpus_allowed_list:"), nodes: list(&text, "Mems_allowed_list:") }
    }
}

/// A set that is missing, damaged or empty says nothing: the process runs.
fn list<T: Id>(text: &str, key: &str) -> Option<IdSet<T>> {
    let list = text.lines().find_map(|line| line.strip_prefix(key))?;
    IdSet::parse_list(list).ok().filter(|set| !set.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_read_and_nonsense_says_nothing() {
        let source = Source::from_files([(
            STATUS,
            "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t0-3,6\nMems_allowed_list:\tx\n",
        )]);
        let status = Status::read(&source);
        assert_eq!(status.cpus.unwrap().to_string(), "0-3,6");
        assert!(status.nodes.is_none());
    }
}
