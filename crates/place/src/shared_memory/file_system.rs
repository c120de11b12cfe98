//! Which memory stores a policy, by its file system: statfs(2).

use std::fs::File;
use std::path::Path;

use rustix::fs::{StatFs, fstatfs, statfs};

use crate::mapping::base_page;
use crate::place_error::{PlaceError, describe};

/// The type and block size of a file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileSystem {
    magic: u64,
    block: u64,
}

/// How long memory stores a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PolicyLifetime {
    /// Until the memory is removed.
    UntilRemoved,
    /// While it is mapped, and for that mapping only.
    WhileMapped,
    /// The kernel ignores policies there.
    Unsupported,
}

const TMPFS: u64 = 0x0102_1994;
const HUGETLBFS: u64 = 0x9584_58f6;

/// Common file systems: `include/uapi/linux/magic.h`.
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
    /// The file system of an open file.
    pub(crate) fn for_file(file: &File, path: &Path) -> Result<Self, PlaceError> {
        Self::from_statfs(fstatfs(file), path)
    }

    /// The file system of a folder.
    pub(crate) fn for_folder(path: &Path) -> Result<Self, PlaceError> {
        Self::from_statfs(statfs(path), path)
    }

    fn from_statfs(result: rustix::io::Result<StatFs>, path: &Path) -> Result<Self, PlaceError> {
        let status = result
            .map_err(|errno| PlaceError::file("reading", path, &describe(errno.raw_os_error())))?;
        // The types differ between processors; magic numbers have 32 bits, and block sizes are
        // positive.
        Ok(Self { magic: status.f_type as u64 & 0xffff_ffff, block: status.f_bsize as u64 })
    }

    /// How long memory of its files stores a policy.
    pub(crate) fn policy_lifetime(self) -> PolicyLifetime {
        match self.magic {
            TMPFS => PolicyLifetime::UntilRemoved,
            HUGETLBFS => PolicyLifetime::WhileMapped,
            _ => PolicyLifetime::Unsupported,
        }
    }

    /// The page size of its files in bytes.
    pub(crate) fn page(self) -> u64 {
        match self.magic {
            HUGETLBFS => self.block.max(1),
            _ => base_page() as u64,
        }
    }

    /// Its name, or its number if the name is unknown.
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
        let shm = FileSystem::for_folder(Path::new("/dev/shm")).unwrap();
        assert!(
            shm.policy_lifetime() == PolicyLifetime::UntilRemoved && shm.name() == "tmpfs",
            "{shm:?}"
        );
        let other = FileSystem::for_folder(Path::new("/proc")).unwrap();
        assert!(
            other.policy_lifetime() == PolicyLifetime::Unsupported
                && other.name().starts_with("file system 0x"),
            "{other:?}"
        );
        assert!(FileSystem::for_folder(Path::new("/no/such/folder")).is_err());
    }
}
