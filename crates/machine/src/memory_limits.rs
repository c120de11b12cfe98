//! How much memory this process's cgroup, and those above it, still allow.
//!
//! A group is charged for its page cache as well, which goes when the limit is near: what lies idle
//! there can be had, as container runtimes count it, but is not free (Documentation/admin-guide/
//! cgroup-v2.rst, cgroup-v1/memory.rst).

use nearfar_model::Bytes;

use crate::attribute::counter;
use crate::cgroup::{self, CgroupVersion};
use crate::source::Source;

/// Memory, and what of it nobody uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryLimit {
    /// Used by nobody: not even by files that could be dropped.
    pub free: Bytes,
    /// All of it.
    pub total: Bytes,
}

/// What each group that limits this process's memory allows and has left, from the innermost group
/// outwards. Nothing where there is no limit.
pub fn memory_limits(source: &Source) -> Vec<MemoryLimit> {
    of_groups(source, |version, folder| room(source, version, folder))
}

/// What can still be had below the tightest limit, idle files included. `None` where nothing is
/// limited.
pub(crate) fn left(source: &Source) -> Option<Bytes> {
    let left = |version, folder: &str| {
        Some(room(source, version, folder)?.free + idle(source, version, folder))
    };
    of_groups(source, left).into_iter().min()
}

fn of_groups<T>(source: &Source, told: impl Fn(CgroupVersion, &str) -> Option<T>) -> Vec<T> {
    let folders = cgroup::folders(source, "memory").into_iter();
    folders.filter_map(|(version, folder)| told(version, &folder)).collect()
}

fn idle(source: &Source, version: CgroupVersion, folder: &str) -> Bytes {
    let name = match version {
        CgroupVersion::V1 => "total_inactive_file",
        CgroupVersion::V2 => "inactive_file",
    };
    let stat = source.text(&format!("{folder}/memory.stat")).unwrap_or_default();
    Bytes(counter(&stat, name).unwrap_or(0))
}

/// Of one group. Beyond `memory.high` the kernel takes memory away as it does at the limit itself.
fn room(source: &Source, version: CgroupVersion, folder: &str) -> Option<MemoryLimit> {
    let (limits, used): (&[&str], &str) = match version {
        CgroupVersion::V1 => (&["memory.limit_in_bytes"], "memory.usage_in_bytes"),
        CgroupVersion::V2 => (&["memory.max", "memory.high"], "memory.current"),
    };
    let number = |name: &str| source.text(&format!("{folder}/{name}"))?.trim().parse::<u64>().ok();
    let total =
        limits.iter().filter_map(|name| number(name)).filter(|limit| *limit < NO_LIMIT).min()?;
    let used = number(used)?;
    Some(MemoryLimit { free: Bytes(total.saturating_sub(used)), total: Bytes(total) })
}

/// Version 1 has no word for it, but the largest number of pages.
const NO_LIMIT: u64 = 1 << 62;

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(mounts: &str, group: &str, files: &[(&str, &str)]) -> Vec<(u64, u64)> {
        let fixed = [("/proc/mounts", mounts), ("/proc/self/cgroup", group)];
        let source = Source::from_files(fixed.into_iter().chain(files.iter().copied()));
        memory_limits(&source).into_iter().map(|room| (room.free.0, room.total.0)).collect()
    }

    #[test]
    fn version_2_limits_in_the_own_group_and_above_by_the_lower_of_its_two_limits() {
        let files = [
            ("/sys/fs/cgroup/pod/box/memory.max", "1000\n"),
            ("/sys/fs/cgroup/pod/box/memory.high", "800\n"),
            ("/sys/fs/cgroup/pod/box/memory.current", "300\n"),
            ("/sys/fs/cgroup/pod/memory.max", "2000\n"),
            ("/sys/fs/cgroup/pod/memory.high", "max\n"),
            ("/sys/fs/cgroup/pod/memory.current", "2500\n"),
            ("/sys/fs/cgroup/memory.current", "9000\n"),
        ];
        let mounts = "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0";
        assert_eq!(limits(mounts, "0::/pod/box", &files), [(500, 800), (0, 2000)]);
        assert_eq!(limits(mounts, "0::/", &files), []);
    }

    #[test]
    fn version_1_has_a_large_number_for_none() {
        let files = [
            ("/sys/fs/cgroup/memory/box/memory.limit_in_bytes", "4096\n"),
            ("/sys/fs/cgroup/memory/box/memory.usage_in_bytes", "1024\n"),
            ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("/sys/fs/cgroup/memory/memory.usage_in_bytes", "5000\n"),
        ];
        assert_eq!(
            limits("cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0", "4:memory:/box", &files),
            [(3072, 4096)]
        );
    }

    #[test]
    fn idle_files_can_be_had_and_the_tightest_group_counts() {
        let files = [
            ("/proc/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0"),
            ("/proc/self/cgroup", "0::/pod/box"),
            ("/sys/fs/cgroup/pod/box/memory.max", "9000\n"),
            ("/sys/fs/cgroup/pod/box/memory.current", "900\n"),
            ("/sys/fs/cgroup/pod/memory.max", "4096\n"),
            ("/sys/fs/cgroup/pod/memory.current", "1096\n"),
            ("/sys/fs/cgroup/pod/memory.stat", "anon 96\ninactive_file 1000\n"),
        ];
        assert_eq!(left(&Source::from_files(files)), Some(Bytes(4000)));
        assert_eq!(left(&Source::from_files([("/proc/mounts", "")])), None);
    }

    #[test]
    fn damaged_numbers_are_no_limits() {
        let files =
            [("/sys/fs/cgroup/memory.max", "-1"), ("/sys/fs/cgroup/memory.current", "much")];
        assert_eq!(limits("cgroup2 /sys/fs/cgroup cgroup2 rw 0 0", "0::/", &files), []);
    }
}
