//! A file that nearfar makes to write into. It never replaces one, and goes away afterwards.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use fastrand::Rng;
use nearfar_model::Bytes;
use nearfar_probe::io::FileIdentity;

/// Written at once.
const PIECE: usize = 4 << 20;

/// A file of random bytes, which no disk or file system makes smaller.
#[derive(Debug)]
pub struct MadeFile {
    path: PathBuf,
    identity: FileIdentity,
    is_kept: bool,
    /// While it is open, no other file has its inode.
    file: File,
}

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
        let file = OpenOptions::new().write(true).create_new(true).open(path).map_err(failed)?;
        let identity = FileIdentity::new(&file.metadata().map_err(failed)?);
        // From here on the file is removed whatever happens, until it is whole.
        let mut made = Self { path: path.to_owned(), identity, is_kept: false, file };
        if !fill(&mut made.file, bytes, is_interrupted).map_err(failed)? {
            return Err(MadeFileError::Interrupted(path.to_owned()));
        }
        made.file.sync_all().map_err(failed)?;
        made.is_kept = is_kept;
        Ok(made)
    }

    /// Which file it is: another one may have its name by now.
    pub const fn identity(&self) -> FileIdentity {
        self.identity
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for MadeFile {
    fn drop(&mut self) {
        // Another file may have its name by now.
        let found = std::fs::symlink_metadata(&self.path).ok().map(|file| FileIdentity::new(&file));
        if !self.is_kept && found == Some(self.identity) {
            // An error has no reader any more.
            let _ = std::fs::remove_file(&self.path);
        }
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
        assert_eq!(std::fs::metadata(made.path()).unwrap().len(), bytes.0);
        let error = MadeFile::create(&path, bytes, false, &|| false).unwrap_err().to_string();
        assert!(error.contains("never overwrites"), "{error}");
        drop(made);
        assert!(!path.exists());
        let error = MadeFile::create(&path, bytes, true, &|| true).unwrap_err().to_string();
        assert!(error.starts_with("interrupted") && !path.exists(), "{error}");
        // Another file of its name stays, also one that came after it was removed.
        let made = MadeFile::create(&path, bytes, false, &|| false).unwrap();
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, "new").unwrap();
        drop(made);
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        std::fs::remove_file(&path).unwrap();
        let made = MadeFile::create(&path, bytes, false, &|| false).unwrap();
        std::fs::write(folder.join("other"), "kept").unwrap();
        std::fs::rename(folder.join("other"), &path).unwrap();
        drop(made);
        assert_eq!(std::fs::read(&path).unwrap(), b"kept");
        std::fs::remove_file(&path).unwrap();
        drop(MadeFile::create(&path, bytes, true, &|| false).unwrap());
        assert!(path.exists());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
