//! What a mapping is for, by what the kernel calls it.

use nearfar_machine::process::{AddressRange, NumaMapping, Segment};
use serde::Serialize;

/// Kinds of mappings, each mapping of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// What malloc takes from the kernel piece by piece (brk).
    Heap,
    /// The first thread's stack; those of other threads are anonymous to the kernel.
    Stack,
    /// Private memory without a file: large allocations, arenas, threads' stacks.
    Anonymous,
    /// Memory shared with others, without a file on a disk: System V, `/dev/shm`, memfd.
    Shared,
    /// Pages of a pool of huge pages (hugetlbfs). Transparent huge pages count where their mapping
    /// does.
    Huge,
    /// Programs, libraries, mapped files.
    File,
    /// What the kernel lends to every process: `[vdso]` and the like.
    Kernel,
}

impl Kind {
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

    /// The kind of a mapping; its range is none when it vanished before it could be asked for.
    pub(crate) fn of(mapping: &NumaMapping, range: Option<&AddressRange>) -> Self {
        let name = mapping.file.as_deref().or(range.map(|range| range.name.as_str())).unwrap_or("");
        match mapping.segment {
            _ if mapping.huge => Self::Huge,
            Segment::Heap => Self::Heap,
            Segment::Stack => Self::Stack,
            Segment::Other if SHARED.iter().any(|start| name.starts_with(start)) => Self::Shared,
            Segment::Other if name.starts_with("[v") || name == "[uprobes]" => Self::Kernel,
            Segment::Other if name.starts_with('/') => Self::File,
            Segment::Other if range.is_some_and(|range| range.shared) => Self::Shared,
            Segment::Other => Self::Anonymous,
        }
    }
}

/// How names of shared memory start. Files of a tmpfs elsewhere look like any file.
const SHARED: [&str; 5] = ["/SYSV", "/dev/shm/", "/memfd:", "/dev/zero (deleted)", "[anon_shmem:"];

#[cfg(test)]
mod tests {
    use nearfar_machine::process::parse_maps;

    use super::*;

    fn kind(numa: &str, permissions: &str, name: &str) -> Kind {
        let range = parse_maps(&format!("1000-2000 {permissions} 0 0:0 0  {name}")).0.remove(0);
        Kind::of(&NumaMapping::parse(&format!("1000 {numa}")).unwrap(), Some(&range))
    }

    #[test]
    fn each_mapping_has_the_kind_the_kernel_hints_at() {
        for (numa, permissions, name, wanted) in [
            ("default heap anon=1 N0=1", "rw-p", "[heap]", Kind::Heap),
            ("default stack anon=1 N0=1", "rw-p", "[stack]", Kind::Stack),
            ("default anon=1 N0=1", "rw-p", "", Kind::Anonymous),
            ("default anon=1 N0=1", "rw-p", "[anon: glibc: malloc]", Kind::Anonymous),
            ("default", "rw-s", "", Kind::Shared),
            (
                "default file=/SYSV00000000\\040(deleted) dirty=1 N0=1",
                "rw-s",
                "/SYSV00000000 (deleted)",
                Kind::Shared,
            ),
            ("default file=/memfd:x N0=1", "rw-p", "/memfd:x", Kind::Shared),
            (
                "default file=/anon_hugepage\\040(deleted) huge N0=1",
                "rw-p",
                "/anon_hugepage (deleted)",
                Kind::Huge,
            ),
            ("default file=/SYSV00000000 huge N0=1", "rw-s", "/SYSV00000000", Kind::Huge),
            ("default file=/usr/lib/libc.so.6 N0=1", "r-xp", "/usr/lib/libc.so.6", Kind::File),
            ("default file=/srv/data N0=1", "rw-s", "/srv/data", Kind::File),
            ("default", "r-xp", "[vdso]", Kind::Kernel),
        ] {
            assert_eq!(kind(numa, permissions, name), wanted, "{numa} {name}");
        }
    }

    #[test]
    fn names_are_the_same_in_text_and_json() {
        for kind in Kind::ALL {
            assert_eq!(serde_json::to_string(&kind).unwrap(), format!("\"{}\"", kind.name()));
        }
    }
}
