//! Which memory keeps a policy, by its file system: statfs(2).

use std::fs::File;
use std::path::Path;

use rustix::fs::{StatFs, fstatfs, statfs};

use crate::mapping::base_page;
use crate::place_error::{PlaceError, describe};

/// What is known of a file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileSystem {
    magic: u64,
    block: u64,
}

/// For how long memory keeps a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keeping {
    /// Until it is removed.
    Always,
    /// As long as it is mapped, and for that mapping.
    WhileMapped,
    /// The kernel does not look at it.
    Never,
}

const TMPFS: u64 = 0x0102_1994;
const HUGETLBFS: u64 = 0x9584_58f6;

/// Those that a reader is likely to meet: `include/uapi/linux/magic.h`.
const NAMES: [(u64, &str); 12] = [
    (TMPFS, "tmpfs"),
    (HUGETLBFS, "hugetlbfs"),
    (0xef53, "ext4"),
    (0x5846_5342, "xfs"),
    (0x9123_683e, "btrfs"),
    (0x794c_7630, "overlay"),
    (0x8584_58f6, "ramfs"),
    (0x6969, "nfs"),
    (0x2fc1_2fc1, "zfs"),
    (0xf2f5_2010, "f2fs"),
    (0x0102_1997, "9p"),
    (0x6573_5546, "fuse"),
];

impl FileSystem {
    /// That of an open file.
    pub(crate) fn of(file: &File, path: &Path) -> Result<Self, PlaceError> {
        Self::told(fstatfs(file), path)
    }

    /// That of a folder.
    pub(crate) fn of_folder(path: &Path) -> Result<Self, PlaceError> {
        Self::told(statfs(path), path)
    }

    fn told(answer: rustix::io::Result<StatFs>, path: &Path) -> Result<Self, PlaceError> {
        let answer = answer.map_err(|errno| {
            PlaceError::file("looking at", path, &describe(errno.raw_os_error()))
        })?;
        // The types differ between processors; magic numbers have 32 bits, and block sizes are
        // positive.
        Ok(Self { magic: answer.f_type as u64 & 0xffff_ffff, block: answer.f_bsize as u64 })
    }

    /// For how long its files' memory keeps a policy.
    pub(crate) fn keeping(self) -> Keeping {
        match self.magic {
            TMPFS => Keeping::Always,
            HUGETLBFS => Keeping::WhileMapped,
            _ => Keeping::Never,
        }
    }

    /// The size of the pages that its files stand on.
    pub(crate) fn page(self) -> u64 {
        match self.magic {
            HUGETLBFS => self.block.max(1),
            _ => base_page() as u64,
        }
    }

    /// Its name, or its number where that is unknown.
    pub(crate) fn name(self) -> String {
        let known = NAMES.iter().find(|(magic, _)| *magic == self.magic);
        known.map_or_else(
            || format!("file system {:#x}", self.magic),
            |(_, name)| (*name).to_owned(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tmpfs_keeps_policies_and_proc_does_not() {
        let shm = FileSystem::of_folder(Path::new("/dev/shm")).unwrap();
        assert!(shm.keeping() == Keeping::Always && shm.name() == "tmpfs", "{shm:?}");
        let other = FileSystem::of_folder(Path::new("/proc")).unwrap();
        assert!(
            other.keeping() == Keeping::Never && other.name().starts_with("file system 0x"),
            "{other:?}"
        );
        assert!(FileSystem::of_folder(Path::new("/no/such/folder")).is_err());
    }
}
