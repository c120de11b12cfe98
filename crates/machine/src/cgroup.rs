//! Control groups of this process, in both versions of the interface.
//!
//! Version 1 mounts one hierarchy per controller (or several on one), version 2 a single one.
//! `/proc/mounts` lists the mount points, `/proc/self/cgroup` the process's group. In a container
//! that path may be invisible: then the nearest visible parent counts. See `cgroups(7)` and
//! Documentation/admin-guide/cgroup-v2.rst.

use crate::source::Source;

/// This process's group in a controller's hierarchy.
#[derive(Debug, PartialEq)]
pub(crate) struct Cgroup {
    pub(crate) version: CgroupVersion,
    /// The group's name, such as `/user.slice`.
    pub(crate) name: String,
    /// Folders from the group up to the mount point.
    pub(crate) folders: Vec<String>,
}

/// Version of a hierarchy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CgroupVersion {
    V1,
    V2,
}

impl CgroupVersion {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::V1 => "cgroup v1",
            Self::V2 => "cgroup v2",
        }
    }
}

/// The hierarchies in which a controller may limit this process.
pub(crate) fn of(source: &Source, controller: &str) -> Vec<Cgroup> {
    let groups = source.text("/proc/self/cgroup").unwrap_or_default();
    let found = hierarchies(source, controller).into_iter().filter_map(|(version, point)| {
        let name = name(&groups, version, controller).or_else(|| own_cpuset(source, controller))?;
        let folders = upwards(&point, &name);
        Some(Cgroup { version, name, folders })
    });
    found.collect()
}

/// The folders of the groups in which a controller may limit this process, each group's own first.
pub(crate) fn folders(source: &Source, controller: &str) -> Vec<(CgroupVersion, String)> {
    let groups = of(source, controller).into_iter();
    groups
        .flat_map(|group| group.folders.into_iter().map(move |folder| (group.version, folder)))
        .collect()
}

/// Versions and mount points of the hierarchies that may have a controller.
pub(crate) fn hierarchies(source: &Source, controller: &str) -> Vec<(CgroupVersion, String)> {
    let mounts = source.text("/proc/mounts").unwrap_or_default();
    mounts.lines().filter_map(|line| mount(line, controller)).collect()
}

/// Where hierarchies of any controller are mounted, and their versions.
pub(crate) fn mount_points(source: &Source) -> Vec<(CgroupVersion, String)> {
    let mounts = source.text("/proc/mounts").unwrap_or_default();
    let point = |line: &str| {
        let mut fields = line.split_whitespace().skip(1);
        let (point, kind) = (fields.next()?, fields.next()?);
        let version = match kind {
            "cgroup2" => CgroupVersion::V2,
            "cgroup" | "cpuset" => CgroupVersion::V1,
            _ => return None,
        };
        Some((version, point.to_owned()))
    };
    mounts.lines().filter_map(point).collect()
}

/// Version and mount point in a line of `/proc/mounts`, if it may have the controller.
fn mount(line: &str, controller: &str) -> Option<(CgroupVersion, String)> {
    let mut fields = line.split_whitespace().skip(1);
    let (point, kind, options) = (fields.next()?, fields.next()?, fields.next().unwrap_or(""));
    let version = match kind {
        "cgroup2" => CgroupVersion::V2,
        "cgroup" if options.split(',').any(|option| option == controller) => CgroupVersion::V1,
        // The cpuset file system of 2.6.12, still used by some batch systems.
        "cpuset" if controller == "cpuset" => CgroupVersion::V1,
        _ => return None,
    };
    Some((version, point.to_owned()))
}

/// The group's name in `/proc/self/cgroup`: lines are `number:controllers:name`, version 2 has
/// number 0 and no controllers.
fn name(groups: &str, version: CgroupVersion, controller: &str) -> Option<String> {
    let ours = groups.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':');
        let (number, controllers, name) = (fields.next()?, fields.next()?, fields.next()?);
        let matches = match version {
            CgroupVersion::V2 => number == "0" && controllers.is_empty(),
            CgroupVersion::V1 => controllers.split(',').any(|one| one == controller),
        };
        matches.then_some(name)
    });
    ours.map(str::to_owned)
}

fn own_cpuset(source: &Source, controller: &str) -> Option<String> {
    (controller == "cpuset").then(|| source.text("/proc/self/cpuset"))?
}

/// The folder of a group and its parents, down to the mount point.
fn upwards(point: &str, name: &str) -> Vec<String> {
    let mut folders = Vec::new();
    let mut rest = name.trim_matches('/');
    while !rest.is_empty() {
        folders.push(format!("{point}/{rest}"));
        rest = rest.rsplit_once('/').map_or("", |(above, _)| above);
    }
    folders.push(point.to_owned());
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_cgroup_versions_are_found() {
        let source = Source::from_files([
            (
                "/proc/mounts",
                "cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\ncgroup /sys/fs/cgroup/cpuset \
                 cgroup rw,cpuset 0 0\nproc /proc proc rw 0 0\n",
            ),
            ("/proc/self/cgroup", "3:cpuset,cpu:/job\n0::/user.slice/a\n"),
        ]);
        let found = of(&source, "cpuset");
        assert_eq!(found.len(), 2);
        assert_eq!(
            (found[0].version, found[0].name.as_str()),
            (CgroupVersion::V2, "/user.slice/a")
        );
        let folders =
            ["/user.slice/a", "/user.slice", ""].map(|end| format!("/sys/fs/cgroup/unified{end}"));
        assert_eq!(found[0].folders, folders);
        assert_eq!(found[1].folders, ["/sys/fs/cgroup/cpuset/job", "/sys/fs/cgroup/cpuset"]);
    }

    #[test]
    fn proc_self_cpuset_is_the_fallback() {
        let files =
            [("/proc/mounts", "none /dev/cpuset cpuset rw 0 0"), ("/proc/self/cpuset", "/dummy\n")];
        let source = Source::from_files(files);
        assert_eq!(of(&source, "cpuset")[0].folders[0], "/dev/cpuset/dummy");
        assert_eq!(of(&source, "cpu"), []);
    }
}
