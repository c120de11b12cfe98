//! Limits of this process's cgroups on a disk.

use crate::cgroup::{self, CgroupVersion};
use crate::source::Source;

/// Files of the first version of cgroups, and their names in the second.
const FILES_1: [(&str, &str); 4] = [
    ("blkio.throttle.read_bps_device", "rbps"),
    ("blkio.throttle.write_bps_device", "wbps"),
    ("blkio.throttle.read_iops_device", "riops"),
    ("blkio.throttle.write_iops_device", "wiops"),
];

/// The limits of this process's cgroups on a disk, as `io.max` has them; `None` without any.
///
/// # References
///
/// Documentation/admin-guide/cgroup-v2.rst, "IO Interface Files";
/// Documentation/admin-guide/cgroup-v1/blkio-controller.rst
pub fn disk_limit(source: &Source, name: &str) -> Option<String> {
    let number = source.text(&format!("/sys/class/block/{}/dev", name.replace('/', "!")))?;
    let of_disk = |text: &str| -> Option<String> {
        let of_number =
            |line: &str| Some(line.strip_prefix(number.trim())?.strip_prefix(' ')?.to_owned());
        let words = text.lines().find_map(of_number)?;
        // "max" is no limit.
        let limits: Vec<&str> =
            words.split_whitespace().filter(|word| !word.ends_with("=max")).collect();
        (!limits.is_empty()).then(|| limits.join(" "))
    };
    let version_2 = cgroup::folders(source, "io")
        .into_iter()
        .filter(|(version, _)| matches!(version, CgroupVersion::V2))
        .filter_map(|(_, folder)| of_disk(&source.text(&format!("{folder}/io.max"))?));
    let version_1 = cgroup::folders(source, "blkio").into_iter().flat_map(|(_, folder)| {
        let limit = |(file, word): &(&str, &str)| {
            let value = of_disk(&source.text(&format!("{folder}/{file}"))?)?;
            (value != "0").then(|| format!("{word}={value}"))
        };
        FILES_1.iter().filter_map(limit).collect::<Vec<_>>()
    });
    let mut limits: Vec<String> = version_2.chain(version_1).collect();
    limits.dedup();
    (!limits.is_empty()).then(|| limits.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(files: &[(&str, &str)]) -> Option<String> {
        let fixed = [
            ("/sys/class/block/nvme0n1/dev", "259:1\n"),
            (
                "/proc/mounts",
                "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\nx /cg/blkio cgroup rw,blkio 0 0\n",
            ),
            ("/proc/self/cgroup", "0::/job\n3:blkio:/job\n"),
        ];
        disk_limit(&Source::from_files(fixed.into_iter().chain(files.iter().copied())), "nvme0n1")
    }

    #[test]
    fn limits_of_both_versions_are_read() {
        let version_2 = "259:10 rbps=1 wbps=1\n259:1 rbps=2097152 wbps=max riops=max wiops=max\n";
        assert_eq!(
            limit(&[("/sys/fs/cgroup/job/io.max", version_2)]).as_deref(),
            Some("rbps=2097152")
        );
        let file = "/cg/blkio/job/blkio.throttle.read_iops_device";
        assert_eq!(limit(&[(file, "259:1 500\n")]).as_deref(), Some("riops=500"));
        assert_eq!(limit(&[(file, "259:2 500\n")]), None);
        assert_eq!(limit(&[]), None);
    }
}
