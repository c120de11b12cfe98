//! The kernel's counters of page allocations and migrations.
//!
//! Documentation/admin-guide/numastat.rst defines them: a *miss* is a page allocated on another
//! node than intended; *foreign* is the same, counted on the intended node.

use serde::{Deserialize, Serialize};

use crate::attribute::{counted_since, counter};
use crate::source::Source;

/// Pages allocated and migrated in the whole machine since boot, or over a run. `None` if the
/// kernel does not count it.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct Allocations {
    /// Pages allocated on the intended node; null where the kernel does not count it.
    pub numa_hit: Option<u64>,
    /// Pages allocated on another node than intended; null where the kernel does not count it.
    pub numa_miss: Option<u64>,
    /// Pages intended for a node, allocated on another; null where the kernel does not count it.
    pub numa_foreign: Option<u64>,
    /// Pages migrated, for any reason (`pgmigrate_success`); null where the kernel does not count
    /// it.
    pub pages_migrated: Option<u64>,
}

impl Allocations {
    /// Reads the counters. Never fails.
    ///
    /// # References
    ///
    /// proc_vmstat(5); Documentation/admin-guide/numastat.rst
    pub fn read(source: &Source) -> Self {
        let vmstat = source.text("/proc/vmstat").unwrap_or_default();
        let counter = |name: &str| counter(&vmstat, name);
        Self {
            numa_hit: counter("numa_hit"),
            numa_miss: counter("numa_miss"),
            numa_foreign: counter("numa_foreign"),
            pages_migrated: counter("pgmigrate_success"),
        }
    }

    /// The difference to an earlier reading. Decreasing counters count as 0.
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            numa_hit: counted_since(self.numa_hit, earlier.numa_hit),
            numa_miss: counted_since(self.numa_miss, earlier.numa_miss),
            numa_foreign: counted_since(self.numa_foreign, earlier.numa_foreign),
            pages_migrated: counted_since(self.pages_migrated, earlier.pages_migrated),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn since_returns_the_difference() {
        let at = |text: &str| Allocations::read(&Source::from_files([("/proc/vmstat", text)]));
        let run = at("numa_hit 90\nnuma_miss 7\npgmigrate_success 3\n")
            .since(&at("nr_free_pages 1\nnuma_hit 40\nnuma_miss 7\npgmigrate_success 1\n"));
        assert_eq!((run.numa_hit, run.numa_miss, run.numa_foreign), (Some(50), Some(0), None));
        assert_eq!(run.pages_migrated, Some(2));
    }
}
