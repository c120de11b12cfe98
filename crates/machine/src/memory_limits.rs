//! Memory limits of this process's cgroups.
//!
//! A group is charged for its page cache too, which is reclaimed near the limit: inactive files
//! count as available, as container runtimes do it, but not as free
//! (Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/memory.rst).

use nearfar_model::Bytes;

use crate::attribute::counter;
use crate::cgroup::{self, CgroupVersion};
use crate::source::Source;

/// A memory limit and how much of it is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryLimit {
    /// Not charged, not even for page cache.
    pub free: Bytes,
    /// The limit.
    pub total: Bytes,
}

/// The memory limits of this process's groups, from the innermost outwards. Empty without a limit.
///
/// # References
///
/// Documentation/admin-guide/cgroup-v2.rst (`memory.max`, `memory.high`),
/// Documentation/admin-guide/cgroup-v1/memory.rst
pub fn memory_limits(source: &Source) -> Vec<MemoryLimit> {
    for_groups(source, |version, folder| limit(source, version, folder))
}

/// Available memory below the lowest limit, inactive files included; `None` without a limit.
pub(crate) fn available(source: &Source) -> Option<Bytes> {
    let available = |version, folder: &str| {
        Some(limit(source, version, folder)?.free + idle(source, version, folder))
    };
    for_groups(source, available).into_iter().min()
}

fn for_groups<T>(source: &Source, read: impl Fn(CgroupVersion, &str) -> Option<T>) -> Vec<T> {
    let folders = cgroup::folders(source, "memory").into_iter();
    folders.filter_map(|(version, folder)| read(version, &folder)).collect()
}

fn idle(source: &Source, version: CgroupVersion, folder: &str) -> Bytes {
    let name = match version {
        CgroupVersion::V1 => "total_inactive_file",
        CgroupVersion::V2 => "inactive_file",
    };
    let stat = source.text(&format!("{folder}/memory.stat")).unwrap_or_default();
    Bytes(counter(&stat, name).unwrap_or(0))
}

/// The limit of one group. Above `memory.high` the kernel reclaims as it does at the limit itself.
fn limit(source: &Source, version: CgroupVersion, folder: &str) -> Option<MemoryLimit> {
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

/// Version 1 uses the largest number of pages for "no limit".
const NO_LIMIT: u64 = 1 << 62;

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(mounts: &str, group: &str, files: &[(&str, &str)]) -> Vec<(u64, u64)> {
        let fixed = [("/proc/mounts", mounts), ("/proc/self/cgroup", group)];
        let source = Source::from_files(fixed.into_iter().chain(files.iter().copied()));
        memory_limits(&source).into_iter().map(|limit| (limit.free.0, limit.total.0)).collect()
    }

    #[test]
    fn version_2_uses_the_lower_limit_of_each_group() {
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
    fn version_1_encodes_no_limit_as_a_large_number() {
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
    fn page_cache_is_available_and_the_lowest_limit_wins() {
        let files = [
            ("/proc/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0"),
            ("/proc/self/cgroup", "0::/pod/box"),
            ("/sys/fs/cgroup/pod/box/memory.max", "9000\n"),
            ("/sys/fs/cgroup/pod/box/memory.current", "900\n"),
            ("/sys/fs/cgroup/pod/memory.max", "4096\n"),
            ("/sys/fs/cgroup/pod/memory.current", "1096\n"),
            ("/sys/fs/cgroup/pod/memory.stat", "anon 96\ninactive_file 1000\n"),
        ];
        assert_eq!(available(&Source::from_files(files)), Some(Bytes(4000)));
        assert_eq!(available(&Source::from_files([("/proc/mounts", "")])), None);
    }

    #[test]
    fn damaged_numbers_are_no_limits() {
        let files =
            [("/sys/fs/cgroup/memory.max", "-1"), ("/sys/fs/cgroup/memory.current", "much")];
        assert_eq!(limits("cgroup2 /sys/fs/cgroup cgroup2 rw 0 0", "0::/", &files), []);
    }
}
