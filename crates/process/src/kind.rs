//! The kind of a mapping, by its name and flags in `maps` and `numa_maps`.

use nearfar_machine::process::{MappingSegment, MapsEntry, NumaMapping};
use serde::Serialize;

/// The kind of a mapping.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum MappingKind {
    /// The heap that brk(2) grows.
    Heap,
    /// The first thread's stack; the stacks of other threads are anonymous.
    Stack,
    /// Private memory without a file: large allocations, arenas, threads' stacks.
    Anonymous,
    /// Shared memory without a file on a disk: System V, `/dev/shm`, memfd.
    Shared,
    /// Pages from a pool of huge pages (hugetlbfs). Transparent huge pages count with their
    /// mapping's kind.
    Huge,
    /// Programs, libraries, mapped files.
    File,
    /// The kernel's mappings in every process: `[vdso]` and similar.
    Kernel,
}

impl MappingKind {
    /// All kinds, in the order in which they are shown.
    pub const ALL: [Self; 7] = [
        Self::Heap,
        Self::Stack,
        Self::Anonymous,
        Self::Shared,
        Self::Huge,
        Self::File,
        Self::Kernel,
    ];

    /// Its name in text and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Heap => "heap",
            Self::Stack => "stack",
            Self::Anonymous => "anonymous",
            Self::Shared => "shared",
            Self::Huge => "huge",
            Self::File => "file",
            Self::Kernel => "kernel",
        }
    }

    /// The kind of a mapping; `range` is `None` if it was unmapped before `maps` was read.
    pub(crate) fn new(mapping: &NumaMapping, range: Option<&MapsEntry>) -> Self {
        let name = mapping.file.as_deref().or(range.map(|range| range.name.as_str())).unwrap_or("");
        match mapping.segment {
            _ if mapping.huge => Self::Huge,
            MappingSegment::Heap => Self::Heap,
            MappingSegment::Stack => Self::Stack,
            MappingSegment::Other if SHARED.iter().any(|start| name.starts_with(start)) => {
                Self::Shared
            }
            MappingSegment::Other if name.starts_with("[v") || name == "[uprobes]" => Self::Kernel,
            MappingSegment::Other if name.starts_with('/') => Self::File,
            MappingSegment::Other if range.is_some_and(|range| range.shared) => Self::Shared,
            MappingSegment::Other => Self::Anonymous,
        }
    }
}

/// Prefixes of the names of shared memory. Files of other tmpfs mounts look like any file.
const SHARED: [&str; 5] = ["/SYSV", "/dev/shm/", "/memfd:", "/dev/zero (deleted)", "[anon_shmem:"];

#[cfg(test)]
mod tests {
    use nearfar_machine::process::parse_maps;

    use super::*;

    fn kind(numa: &str, permissions: &str, name: &str) -> MappingKind {
        let range = parse_maps(&format!("1000-2000 {permissions} 0 0:0 0  {name}")).0.remove(0);
        MappingKind::new(&NumaMapping::parse(&format!("1000 {numa}")).unwrap(), Some(&range))
    }

    #[test]
    fn names_and_flags_give_the_kind() {
        for (numa, permissions, name, wanted) in [
            ("default heap anon=1 N0=1", "rw-p", "[heap]", MappingKind::Heap),
            ("default stack anon=1 N0=1", "rw-p", "[stack]", MappingKind::Stack),
            ("default anon=1 N0=1", "rw-p", "", MappingKind::Anonymous),
            ("default anon=1 N0=1", "rw-p", "[anon: glibc: malloc]", MappingKind::Anonymous),
            ("default", "rw-s", "", MappingKind::Shared),
            (
                "default file=/SYSV00000000\\040(deleted) dirty=1 N0=1",
                "rw-s",
                "/SYSV00000000 (deleted)",
                MappingKind::Shared,
            ),
            ("default file=/memfd:x N0=1", "rw-p", "/memfd:x", MappingKind::Shared),
            (
                "default file=/anon_hugepage\\040(deleted) huge N0=1",
                "rw-p",
                "/anon_hugepage (deleted)",
                MappingKind::Huge,
            ),
            ("default file=/SYSV00000000 huge N0=1", "rw-s", "/SYSV00000000", MappingKind::Huge),
            (
                "default file=/usr/lib/libc.so.6 N0=1",
                "r-xp",
                "/usr/lib/libc.so.6",
                MappingKind::File,
            ),
            ("default file=/srv/data N0=1", "rw-s", "/srv/data", MappingKind::File),
            ("default", "r-xp", "[vdso]", MappingKind::Kernel),
        ] {
            assert_eq!(kind(numa, permissions, name), wanted, "{numa} {name}");
        }
    }

    #[test]
    fn names_are_the_same_in_text_and_json() {
        for kind in MappingKind::ALL {
            assert_eq!(serde_json::to_string(&kind).unwrap(), format!("\"{}\"", kind.name()));
        }
    }
}
