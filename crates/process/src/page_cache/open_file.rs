//! Opens a file so that nothing blocks, and decides whether its pages may be seen.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{Error, ErrorKind};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nearfar_machine::{Source, has_all_users};
use rustix::fs::{Access, OFlags, access, fstatfs, statfs};
use rustix::process::geteuid;
use rustix::thread::{CapabilitySet, capabilities};

use super::error::PageCacheError;
use super::unseen::Unseen;

/// Numbers of file systems in statfs(2).
const OVERLAYFS: i64 = 0x794c_7630;
const HUGETLBFS: i64 = 0x9584_58f6;
/// Control groups of both versions, procfs, sysfs: their files have no pages.
const WITHOUT_PAGES: [i64; 4] = [0x0027_e0eb, 0x6367_7270, 0x9fa0, 0x6265_6572];

/// A regular file whose cached pages may be seen.
#[derive(Debug)]
pub(super) struct OpenFile {
    pub(super) file: File,
    pub(super) path: PathBuf,
    pub(super) size: u64,
    /// Whether cachestat(2) counts its pages. In overlayfs it counts those of an empty file.
    pub(super) is_counted: bool,
}

impl OpenFile {
    /// Opens what a user named; symbolic links are followed.
    pub(super) fn named(path: &Path) -> Result<Self, PageCacheError> {
        let metadata = path.metadata().map_err(|error| PageCacheError::Open {
            path: path.to_owned(),
            why: error.to_string(),
        })?;
        if let Some(kind) = kind_without_pages(path, &metadata) {
            return Err(PageCacheError::NoFile { path: path.to_owned(), kind });
        }
        if metadata.is_dir() {
            return Err(PageCacheError::Directory { path: path.to_owned() });
        }
        Self::open(path, OFlags::empty())
            .map_err(|why| PageCacheError::Unseen { path: path.to_owned(), why })
    }

    /// Opens a file of a directory, and no symbolic link.
    pub(super) fn in_directory(path: &Path) -> Result<Self, Unseen> {
        Self::open(path, OFlags::NOFOLLOW)
    }

    fn open(path: &Path, flags: OFlags) -> Result<Self, Unseen> {
        // O_NOATIME, which only owners may use: mapping changes the time of access.
        let open = |no_time: OFlags| {
            let flags = flags | no_time | OFlags::NONBLOCK | OFlags::NOCTTY;
            let flags = i32::try_from(flags.bits()).unwrap_or(0);
            OpenOptions::new().read(true).custom_flags(flags).open(path)
        };
        let file = open(OFlags::NOATIME).or_else(|_| open(OFlags::empty()));
        let file = file.map_err(|error| unseen(&error))?;
        let metadata = file.metadata().map_err(|error| unseen(&error))?;
        if !metadata.is_file() {
            return Err(Unseen::NotMapped);
        }
        if !may_see(path, &metadata) {
            return Err(Unseen::NotYours);
        }
        let kind = fstatfs(&file).map_or(0, |system| system.f_type);
        if kind == HUGETLBFS {
            return Err(Unseen::Hugetlbfs);
        }
        let (path, size) = (path.to_owned(), metadata.len());
        Ok(Self { file, path, size, is_counted: kind != OVERLAYFS })
    }
}

/// What has no pages that this shows.
pub(super) fn kind_without_pages(path: &Path, metadata: &Metadata) -> Option<&'static str> {
    let kind = metadata.file_type();
    let is_without = |system: rustix::fs::StatFs| WITHOUT_PAGES.contains(&system.f_type);
    if kind.is_dir() && statfs(path).is_ok_and(is_without) {
        return Some("in a file system of the kernel, without page cache");
    }
    if kind.is_fifo() {
        Some("a FIFO")
    } else if kind.is_socket() {
        Some("a socket")
    } else if kind.is_char_device() || kind.is_block_device() {
        Some("a device")
    } else {
        None
    }
}

/// As the kernel decides: mm/mincore.c, can_do_mincore. To others it reports every page.
fn may_see(path: &Path, metadata: &Metadata) -> bool {
    geteuid().as_raw() == metadata.uid()
        || access(path, Access::WRITE_OK).is_ok()
        || is_as_owner() && is_mapped(metadata.uid())
}

/// Whether this process counts as the owner of any file whose owner its user namespace has.
fn is_as_owner() -> bool {
    capabilities(None).is_ok_and(|sets| sets.effective.contains(CapabilitySet::FOWNER))
}

/// Whether this user is one of the user namespace, and not the stand-in for all that are not.
fn is_mapped(user: u32) -> bool {
    const STAND_IN: u32 = 65534;
    user != STAND_IN || has_all_users(&Source::live())
}

pub(super) fn unseen(error: &Error) -> Unseen {
    match error.kind() {
        ErrorKind::NotFound => Unseen::Vanished,
        ErrorKind::PermissionDenied => Unseen::NotReadable,
        _ => Unseen::Failed,
    }
}
