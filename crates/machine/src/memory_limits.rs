//! How much memory the cgroups of this process still let it have.
//!
//! A group is charged for its page cache as well, which goes when the limit is near; so what lies idle there counts as left, as container runtimes
//! count it (Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/memory.rst).

use nearfar_model::Bytes;

use crate::cgroup::{self, Version};
use crate::source::Source;

/// Version 1 writes "no limit" as the largest number of whole pages; no machine has so much.
const NO_LIMIT: u64 = 1 << 60;

/// What is left below the tightest limit, in the own group or above. `None` where nothing is limited.
pub(crate) fn left(source: &Source) -> Option<Bytes> {
    let groups = cgroup::of(source, "memory");
    let folders = groups.iter().flat_map(|group| group.folders.iter().map(|folder| (group.version, folder)));
    folders.filter_map(|(version, folder)| left_in(source, version, folder)).min().map(Bytes)
}

fn left_in(source: &Source, version: Version, folder: &str) -> Option<u64> {
    let (limit, used, idle) = match version {
        Version::V1 => ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
        Version::V2 => ("memory.max", "memory.current", "inactive_file"),
    };
    // "max" is no number.
    let number = |name: &str| source.text(&format!("{folder}/{name}"))?.trim().parse::<u64>().ok();
    let limit = number(limit).filter(|&limit| limit < NO_LIMIT)?;
    let stat = source.text(&format!("{folder}/memory.stat")).unwrap_or_default();
    let reclaimable = cgroup::counter(&stat, idle).unwrap_or(0);
    let used = number(used).unwrap_or(0).saturating_sub(reclaimable);
    Some(limit.saturating_sub(used))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(mounts: &str, group: &str, files: &[(&str, &str)]) -> Option<Bytes> {
        let fixed = [("/proc/mounts", mounts), ("/proc/self/cgroup", group)];
        left(&Source::from_files(fixed.into_iter().chain(files.iter().copied())))
    }

    const VERSION_2: &str = "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0";
    const VERSION_1: &str = "cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0";

    #[test]
    fn the_tightest_of_the_groups_above_counts() {
        let files = [
            ("/sys/fs/cgroup/pod/box/memory.max", "max\n"),
            ("/sys/fs/cgroup/pod/box/memory.current", "900\n"),
            ("/sys/fs/cgroup/pod/memory.max", "4096\n"),
            ("/sys/fs/cgroup/pod/memory.current", "1096\n"),
            ("/sys/fs/cgroup/pod/memory.stat", "anon 96\ninactive_file 1000\n"),
        ];
        assert_eq!(told(VERSION_2, "0::/pod/box", &files), Some(Bytes(4000)));
        assert_eq!(told(VERSION_2, "0::/", &files), None);
    }

    #[test]
    fn version_1_writes_no_limit_as_a_number() {
        let files = [
            ("/sys/fs/cgroup/memory/box/memory.limit_in_bytes", "50331648"),
            ("/sys/fs/cgroup/memory/box/memory.usage_in_bytes", "331648"),
            ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712"),
            ("/sys/fs/cgroup/memory/memory.usage_in_bytes", "10"),
        ];
        assert_eq!(told(VERSION_1, "4:memory:/box", &files), Some(Bytes(50_000_000)));
        assert_eq!(told(VERSION_1, "4:memory:/", &files), None);
    }

    #[test]
    fn a_group_beyond_its_limit_has_nothing_left() {
        let files = [("/sys/fs/cgroup/a/memory.max", "10"), ("/sys/fs/cgroup/a/memory.current", "11")];
        assert_eq!(told(VERSION_2, "0::/a", &files), Some(Bytes(0)));
    }
}
