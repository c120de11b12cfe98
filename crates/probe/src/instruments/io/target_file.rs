//! The checks of a target before it is measured: is it on a disk, all of it, and does the kernel
//! bypass its cache there?

mod extents;

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nearfar_model::Bytes;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use extents::{BadExtent, bad_extent, first_hole, is_root};

/// Smaller files fit caches of disks.
pub const MIN_BYTES: Bytes = Bytes::mib(256);

/// Why a target cannot be measured.
#[derive(Debug, Error)]
pub enum TargetError {
    /// It cannot be opened.
    #[error("cannot open {}: {error}", path.display())]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// It is a disk, and only root may read it.
    #[error(
        "{} is a disk, which only root may read: run as root, or name a file on it",
        .0.display()
    )]
    NotRoot(PathBuf),
    /// It is a disk, and root may not read it.
    #[error(
        "{} is a disk that root may not read here: a container's list of devices forbids it",
        .0.display()
    )]
    Forbidden(PathBuf),
    /// It is a folder.
    #[error(
        "{} is a folder: name a file of at least {MIN_BYTES} in it, or let --write make one",
        .0.display()
    )]
    Folder(PathBuf),
    /// It is a pipe, a socket or a character device.
    #[error("{} is neither a file nor a disk", .0.display())]
    NotOnDisk(PathBuf),
    /// It is too small.
    #[error(
        "{} has only {bytes}: caches of the disk would answer, so at least {MIN_BYTES} are needed",
        path.display()
    )]
    Small {
        /// The path.
        path: PathBuf,
        /// The size.
        bytes: Bytes,
    },
    /// Parts of it are not on the disk.
    #[error("{} {extent}: reading that would not reach the disk", path.display())]
    Extent {
        /// The path.
        path: PathBuf,
        /// The part.
        extent: BadExtent,
    },
    /// Another file has its name now.
    #[error("{} was replaced by another file while it was measured", .0.display())]
    Replaced(PathBuf),
    /// It has lost bytes that were measured.
    #[error("{} has only {bytes} left: the file became shorter", path.display())]
    Shorter {
        /// The path.
        path: PathBuf,
        /// The size.
        bytes: Bytes,
    },
    /// Two names of one target.
    #[error("{} and {} are the same file or disk: name it once", first.display(), second.display())]
    Same {
        /// The first name.
        first: PathBuf,
        /// The second.
        second: PathBuf,
    },
    /// A name that messages between processes cannot hold.
    #[error("{} is not UTF-8: name it by another path, as a link", .0.display())]
    NotText(PathBuf),
    /// The file system has no direct I/O.
    #[error("{}: {why}", path.display())]
    NoDirect {
        /// The path.
        path: PathBuf,
        /// Why not.
        why: String,
    },
}

/// A file or a disk that can be measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetFile {
    /// Its path.
    pub path: PathBuf,
    /// Its size.
    pub bytes: Bytes,
    /// Whether it is a whole disk or a partition.
    pub is_disk: bool,
    /// Which file it is, whatever its path.
    pub identity: FileIdentity,
}

/// Device and inode of a file; of a disk its own number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileIdentity {
    /// The device that it is on; 0 of a disk.
    pub device: u64,
    /// The number there; of a disk its own.
    pub inode: u64,
}

impl FileIdentity {
    /// That of a file.
    pub fn new(file: &Metadata) -> Self {
        if file.file_type().is_block_device() {
            Self { device: 0, inode: file.rdev() }
        } else {
            Self { device: file.dev(), inode: file.ino() }
        }
    }
}

/// File systems that have no disk, or not the file's bytes, behind their `O_DIRECT`.
const WITHOUT_DISK: [(i64, &str); 3] = [
    (0x0102_1994, "tmpfs keeps files in memory: there is no disk to measure"),
    (0x8584_58f6, "ramfs keeps files in memory: there is no disk to measure"),
    (0x794c_7630, "overlay has no direct I/O of its own: name a file on the file system below"),
];

impl TargetFile {
    /// Checks a target without reading from it.
    pub fn check(path: &Path) -> Result<Self, TargetError> {
        check_name(path)?;
        let path = path.to_owned();
        let found = match std::fs::metadata(&path) {
            Ok(found) => found,
            Err(error) => return Err(TargetError::Unreadable { path, error }),
        };
        let kind = found.file_type();
        if kind.is_dir() {
            return Err(TargetError::Folder(path));
        }
        let is_disk = kind.is_block_device();
        if !is_disk && !kind.is_file() {
            return Err(TargetError::NotOnDisk(path));
        }
        let mut file = open(&path, false)?;
        let end = file.seek(SeekFrom::End(0));
        let bytes = match end {
            Ok(end) => Bytes(end),
            Err(error) => return Err(TargetError::Unreadable { path, error }),
        };
        if bytes < MIN_BYTES {
            return Err(TargetError::Small { path, bytes });
        }
        let extent = if is_disk { None } else { first_hole(&file, bytes) };
        let extent = extent.or_else(|| if is_disk { None } else { bad_extent(&file) });
        match extent {
            Some(extent) => Err(TargetError::Extent { path, extent }),
            None => Ok(Self { path, bytes, is_disk, identity: FileIdentity::new(&found) }),
        }
    }

    /// Checks that a target is still the same file, and has all its bytes.
    ///
    /// # Errors
    /// Where it is not, or cannot be opened any more.
    pub fn check_unchanged(
        path: &Path,
        identity: FileIdentity,
        measured: Bytes,
    ) -> Result<(), TargetError> {
        let end = open_same(path, identity, false)?.seek(SeekFrom::End(0));
        let path = path.to_owned();
        match end.map(Bytes) {
            Ok(bytes) if bytes < measured => Err(TargetError::Shorter { path, bytes }),
            Ok(_) => Ok(()),
            Err(error) => Err(TargetError::Unreadable { path, error }),
        }
    }

    /// Refuses two names of one target: their figures would be of each other.
    ///
    /// # Errors
    /// The first two names of one file or disk.
    pub fn refuse_same(targets: &[(&Path, FileIdentity)]) -> Result<(), TargetError> {
        for (index, (second, identity)) in targets.iter().enumerate() {
            let mut before = targets[..index].iter();
            if let Some((first, _)) = before.find(|(_, known)| known == identity) {
                let (first, second) = ((*first).to_owned(), (*second).to_owned());
                return Err(TargetError::Same { first, second });
            }
        }
        Ok(())
    }
}

/// Messages to workers have paths as text.
fn check_name(path: &Path) -> Result<(), TargetError> {
    if path.to_str().is_some() { Ok(()) } else { Err(TargetError::NotText(path.to_owned())) }
}

/// Opens a target that is the same file as when it was checked.
pub(super) fn open_same(
    path: &Path,
    identity: FileIdentity,
    for_writing: bool,
) -> Result<File, TargetError> {
    let file = open(path, for_writing)?;
    match file.metadata() {
        Ok(found) if FileIdentity::new(&found) == identity => Ok(file),
        Ok(_) => Err(TargetError::Replaced(path.to_owned())),
        Err(error) => Err(TargetError::Unreadable { path: path.to_owned(), error }),
    }
}

/// Checks that a file which is made at this path can be measured: its name, and the file system of
/// its folder. Makes no file that remains.
///
/// # Errors
/// Where it could not be, or its folder cannot be opened.
///
/// # References
///
/// open(2), `O_TMPFILE`
pub fn check_new(path: &Path) -> Result<(), TargetError> {
    check_name(path)?;
    let folder = folder_of(path).to_owned();
    let why = match File::open(&folder) {
        Ok(file) => without_disk(&file),
        Err(error) => return Err(TargetError::Unreadable { path: folder, error }),
    };
    // A nameless file shows whether the file system has direct I/O. Some have no such files, and
    // then the file itself shows it.
    let nameless = |flags| {
        let mut options = OpenOptions::new();
        options.read(true).write(true).custom_flags(libc::O_TMPFILE | libc::O_CLOEXEC | flags);
        options.open(&folder).is_ok()
    };
    let why =
        why.or_else(|| (nameless(0) && !nameless(libc::O_DIRECT)).then(|| NO_DIRECT.to_owned()));
    why.map_or(Ok(()), |why| Err(TargetError::NoDirect { path: folder, why }))
}

/// The folder that a file is made in.
pub fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

const NO_DIRECT: &str = "its file system has no direct I/O (O_DIRECT), so memory would answer";

/// Opens a target for direct accesses.
///
/// # References
///
/// open(2), `O_DIRECT`
pub(super) fn open(path: &Path, for_writing: bool) -> Result<File, TargetError> {
    let opened = OpenOptions::new()
        .read(true)
        .write(for_writing)
        .custom_flags(libc::O_DIRECT | libc::O_CLOEXEC)
        .open(path);
    let path = path.to_owned();
    match opened {
        Ok(file) => match without_disk(&file) {
            Some(why) => Err(TargetError::NoDirect { path, why }),
            None => Ok(file),
        },
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {
            // The same without O_DIRECT shows which file system it is.
            let known = File::open(&path).ok().as_ref().and_then(without_disk);
            let why = known.unwrap_or_else(|| NO_DIRECT.to_owned());
            Err(TargetError::NoDirect { path, why })
        }
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied && is_disk(&path) => {
            Err(if is_root() { TargetError::Forbidden(path) } else { TargetError::NotRoot(path) })
        }
        Err(error) => Err(TargetError::Unreadable { path, error }),
    }
}

fn is_disk(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| found.file_type().is_block_device())
}

/// Why a file has no disk. Files of disks lie on devtmpfs, and are none of its own.
fn without_disk(file: &File) -> Option<String> {
    if file.metadata().is_ok_and(|found| found.file_type().is_block_device()) {
        return None;
    }
    let kind = extents::file_system(file)?;
    WITHOUT_DISK.iter().find(|(magic, _)| *magic == kind).map(|(_, why)| (*why).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(path: &str) -> String {
        TargetFile::check(Path::new(path)).unwrap_err().to_string()
    }

    #[test]
    fn targets_without_a_disk_are_refused() {
        assert!(refused("/nowhere").starts_with("cannot open /nowhere: No such file"));
        assert!(refused("/").contains("is a folder"));
        assert!(refused("/dev/null").contains("neither a file nor a disk"));
        // Files of procfs have no direct I/O, or no size.
        let kernels = refused("/proc/self/status");
        assert!(kernels.contains("no direct I/O") || kernels.contains("0 bytes"), "{kernels}");
    }

    #[test]
    fn files_that_are_replaced_or_shorter_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, [1; 8192]).unwrap();
        // The temporary folder may have no direct I/O.
        if open(&path, false).is_err() {
            return;
        }
        let identity = FileIdentity::new(&path.metadata().unwrap());
        let check = || TargetFile::check_unchanged(&path, identity, Bytes(8192));
        let why = || check().unwrap_err().to_string();
        assert!(check().is_ok());
        let file = OpenOptions::new().write(true).open(&path).unwrap();
        file.set_len(4096).unwrap();
        assert!(why().ends_with("has only 4 KiB left: the file became shorter"), "{}", why());
        let other = folder.path().join("other");
        std::fs::write(&other, [2; 8192]).unwrap();
        std::fs::rename(&other, &path).unwrap();
        assert!(why().contains("was replaced by another file"), "{}", why());
        let opened = open_same(&path, identity, true);
        assert!(matches!(opened, Err(TargetError::Replaced(_))), "{opened:?}");
        std::fs::remove_file(&path).unwrap();
        assert!(why().starts_with("cannot open"), "{}", why());
    }

    #[test]
    fn two_names_of_one_target_are_refused() {
        let one = |inode| FileIdentity { device: 7, inode };
        let [a, b, c] = ["a", "b", "c"].map(Path::new);
        assert!(TargetFile::refuse_same(&[(a, one(1)), (b, one(2)), (c, one(3))]).is_ok());
        let same = TargetFile::refuse_same(&[(a, one(1)), (b, one(2)), (c, one(1))]);
        let same = same.unwrap_err().to_string();
        assert!(same.starts_with("a and c are the same file or disk"), "{same}");
    }

    #[test]
    fn files_to_be_made_are_checked_before() {
        let refused = |path: &Path| check_new(path).unwrap_err().to_string();
        assert!(refused(Path::new("/nowhere/new")).starts_with("cannot open /nowhere: No such"));
        let bytes: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(b"/tmp/\xff");
        assert!(refused(Path::new(bytes)).contains("is not UTF-8"));
        if Path::new("/dev/shm").is_dir() {
            assert!(refused(Path::new("/dev/shm/new")).contains("in memory"));
        }
        assert_eq!(
            [folder_of(Path::new("a/b")), folder_of(Path::new("b"))],
            ["a", "."].map(Path::new)
        );
    }
}
