//! A file that nearfar makes to write into. It never replaces one, and goes away afterwards.
//!
//! It has no name while it is measured, unless it is kept: a kill leaves nothing.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use fastrand::Rng;
use nearfar_model::Bytes;
use nearfar_probe::io::FileIdentity;
use nearfar_view::owned_files::{Folder, by_number};
use rustix::io::{FdFlags, fcntl_setfd};

const PIECE: usize = 4 << 20;

/// A file of random bytes, which no disk or file system makes smaller.
#[derive(Debug)]
pub struct MadeFile {
    path: PathBuf,
    identity: FileIdentity,
    /// How workers open it.
    opened_by: PathBuf,
    /// Its name, where it goes away at the end and has one until then.
    name: Option<(Folder, OsString)>,
    /// While it is open, no other file has its inode.
    file: File,
}

/// What the umask leaves of it.
const MODE: u32 = 0o666;

/// Why a file was not made.
#[derive(Debug, thiserror::Error)]
pub enum MadeFileError {
    /// A file of this name is there.
    #[error("{} is there already, and --write never overwrites: name a new file", .0.display())]
    Exists(PathBuf),
    /// The user interrupted it.
    #[error("interrupted: {} was removed", .0.display())]
    Interrupted(PathBuf),
    /// It cannot be written.
    #[error("cannot make {}: {error}", path.display())]
    Failed {
        /// The path.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
}

impl MadeFile {
    /// Makes a file of this size, on the disk when this returns. Removes it if that fails, or when
    /// `is_interrupted` returns true.
    pub fn create(
        path: &Path,
        bytes: Bytes,
        is_kept: bool,
        is_interrupted: &dyn Fn() -> bool,
    ) -> Result<Self, MadeFileError> {
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::AlreadyExists => MadeFileError::Exists(path.to_owned()),
            _ => MadeFileError::Failed { path: path.to_owned(), error },
        };
        let (folder, name) = Folder::for_file(path).map_err(failed)?;
        if folder.find(&name).map_err(failed)?.is_some() {
            return Err(MadeFileError::Exists(path.to_owned()));
        }
        let (mut made, folder, name) = match folder.create_nameless(MODE) {
            Ok(file) => (Self::new(path, file).map_err(failed)?, Some(folder), name),
            Err(_) => {
                let file = folder.create_new(&name, MODE).map_err(failed)?;
                let mut made = Self::new(path, file).map_err(failed)?;
                made.name = Some((folder, name.clone()));
                if !is_kept && made.is_found_by_number() {
                    made.remove_name();
                }
                (made, None, name)
            }
        };
        if !fill(&mut made.file, bytes, is_interrupted).map_err(failed)? {
            return Err(MadeFileError::Interrupted(path.to_owned()));
        }
        made.file.sync_all().map_err(failed)?;
        if is_kept {
            folder.map_or(Ok(()), |folder| folder.name(&made.file, &name)).map_err(failed)?;
            made.name = None;
            made.opened_by = path.to_owned();
        }
        Ok(made)
    }

    /// Workers inherit the descriptor, and open the file by its number.
    fn new(path: &Path, file: File) -> io::Result<Self> {
        fcntl_setfd(&file, FdFlags::empty())?;
        let identity = FileIdentity::new(&file.metadata()?);
        let opened_by = by_number(&file).into();
        Ok(Self { path: path.to_owned(), identity, opened_by, name: None, file })
    }

    fn is_found_by_number(&mut self) -> bool {
        let is_found = std::fs::metadata(&self.opened_by).is_ok();
        if !is_found {
            self.opened_by.clone_from(&self.path);
        }
        is_found
    }

    /// Another file may have its name by now: that one stays.
    fn remove_name(&mut self) {
        let Some((folder, name)) = self.name.take() else { return };
        let found = folder.find(&name).ok().flatten();
        let found = found.map(|found| FileIdentity { device: found.st_dev, inode: found.st_ino });
        if found == Some(self.identity) {
            // An error has no reader any more.
            let _ = folder.remove(&name);
        }
    }

    /// Which file it is: another one may have its name by now.
    pub const fn identity(&self) -> FileIdentity {
        self.identity
    }

    /// The path by which this process and its children open it.
    pub fn opened_by(&self) -> &Path {
        &self.opened_by
    }
}

impl Drop for MadeFile {
    fn drop(&mut self) {
        self.remove_name();
    }
}

/// Writes random bytes; `false` if it was interrupted.
fn fill(file: &mut File, bytes: Bytes, is_interrupted: &dyn Fn() -> bool) -> io::Result<bool> {
    let mut random = Rng::with_seed(bytes.0);
    let mut piece = vec![0; PIECE];
    random.fill(&mut piece);
    let mut left = bytes.0;
    while left > 0 {
        if is_interrupted() {
            return Ok(false);
        }
        // Each piece differs, so that no two blocks are the same.
        let number = left.to_le_bytes();
        for block in piece.chunks_exact_mut(4096) {
            for (byte, number) in block.iter_mut().zip(number) {
                *byte ^= number;
            }
        }
        let length = usize::try_from(left).map_or(PIECE, |left| left.min(PIECE));
        file.write_all(&piece[..length])?;
        left -= length as u64;
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_go_away_unless_kept_and_are_never_replaced() {
        let folder = std::env::temp_dir().join(format!("nearfar-made-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("file");
        let bytes = Bytes((5 << 20) + 7);
        let made = MadeFile::create(&path, bytes, false, &|| false).unwrap();
        assert_eq!(std::fs::metadata(made.opened_by()).unwrap().len(), bytes.0);
        assert!(!path.exists(), "a kill leaves nothing");
        drop(made);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
        let error = MadeFile::create(&path, bytes, true, &|| true).unwrap_err().to_string();
        assert!(error.starts_with("interrupted") && !path.exists(), "{error}");
        // Another file of its name stays.
        let made = MadeFile::create(&path, bytes, false, &|| false).unwrap();
        std::fs::write(&path, "new").unwrap();
        drop(made);
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        let error = MadeFile::create(&path, bytes, false, &|| false).unwrap_err().to_string();
        assert!(error.contains("never overwrites"), "{error}");
        std::fs::remove_file(&path).unwrap();
        let made = MadeFile::create(&path, bytes, true, &|| false).unwrap();
        assert_eq!(made.opened_by(), path);
        drop(made);
        assert_eq!(std::fs::metadata(&path).unwrap().len(), bytes.0);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
