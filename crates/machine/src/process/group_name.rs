//! The name that the kernel gives a control group, from what the user wrote.

use crate::cgroup;
use crate::source::Source;

/// `/system.slice/db.service` of that, of `system.slice/db.service`, and of its folder. The group
/// need not exist.
pub fn group_name(source: &Source, word: &str) -> String {
    format!("/{}", below_mount(source, word).unwrap_or(word).trim_matches('/'))
}

/// Whether a path is below the mount point of a hierarchy.
pub fn is_in_hierarchy(source: &Source, path: &str) -> bool {
    below_mount(source, path).is_some_and(|below| !below.trim_matches('/').is_empty())
}

fn below_mount<'w>(source: &Source, word: &'w str) -> Option<&'w str> {
    let mut points = cgroup::mount_points(source);
    points.sort_unstable_by_key(|point| std::cmp::Reverse(point.1.len()));
    points.iter().find_map(|(_, point)| {
        let below = word.strip_prefix(point.as_str())?;
        (below.is_empty() || below.starts_with('/')).then_some(below)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_names_are_one() {
        let mounts = "t /sys/fs/cgroup tmpfs rw 0 0\nm /sys/fs/cgroup/memory cgroup memory 0 0\n\
                      c /sys/fs/cgroup cgroup2 rw 0 0\n";
        let source = Source::from_files([("/proc/mounts", mounts)]);
        for word in ["a/b", "/a/b/", "/sys/fs/cgroup/a/b", "/sys/fs/cgroup/memory/a/b"] {
            assert_eq!(group_name(&source, word), "/a/b", "{word}");
            assert_eq!(is_in_hierarchy(&source, word), word.starts_with("/sys"), "{word}");
        }
        for word in ["/sys/fs/cgroup", "/sys/fs/cgroup/memory/", "/sys/fs/cgroups/a"] {
            assert!(!is_in_hierarchy(&source, word), "{word}");
        }
    }
}
