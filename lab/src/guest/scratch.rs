//! The folder with a guest's files on the host; gone when the guest is.
//!
//! A launcher that is killed cannot clean up. Each holds a lock on its folder, so the next one
//! knows a folder whose owner is gone, and removes it.

use std::env;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use super::GuestError;
use super::lock::try_lock;

const PREFIX: &str = "nearfar-lab-";
/// A folder this young may belong to a launcher that has not locked it yet.
const YOUNG: Duration = Duration::from_secs(60);

/// A folder in TMPDIR.
#[derive(Debug)]
pub(super) struct Scratch {
    folder: TempDir,
    #[expect(dead_code, reason = "an open file holds the lock")]
    lock: File,
}

impl Scratch {
    pub(super) fn new() -> Result<Self, GuestError> {
        let place = env::temp_dir();
        remove_abandoned(&place);
        Self::make(&place).map_err(|source| GuestError::Scratch { path: place, source })
    }

    fn make(place: &Path) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(place)?;
        let lock = File::open(folder.path())?;
        try_lock(&lock)?;
        Ok(Self { folder, lock })
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The guest's first file system.
    pub(super) fn image(&self) -> PathBuf {
        self.folder().join("initramfs")
    }

    /// What the plugin is to charge.
    pub(super) fn charges(&self) -> PathBuf {
        self.folder().join("charges.json")
    }

    /// The disks that are served, and what their requests cost.
    pub(super) fn disks(&self) -> PathBuf {
        self.folder().join("disks.json")
    }

    /// Where drivers have mapped registers of devices.
    pub(super) fn windows(&self) -> PathBuf {
        self.folder().join("windows.json")
    }

    pub(super) fn ledger(&self) -> PathBuf {
        self.folder().join("ledger.json")
    }
}

/// Another user's folders stay: they cannot be removed, and that is no concern of this guest.
fn remove_abandoned(place: &Path) {
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if ours && is_abandoned(&entry.path()).unwrap_or(false) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn is_abandoned(path: &Path) -> io::Result<bool> {
    let found = fs::symlink_metadata(path)?;
    let old = found.modified()?.elapsed().is_ok_and(|age| age > YOUNG);
    Ok(found.is_dir() && old && try_lock(&File::open(path)?)?)
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    /// As if nothing had changed in it for an hour.
    fn age(path: &Path) {
        File::open(path)
            .unwrap()
            .set_modified(SystemTime::now() - Duration::from_secs(3600))
            .unwrap();
    }

    #[test]
    fn what_a_killed_launcher_left_is_removed_and_nothing_else() {
        let place = tempfile::tempdir().unwrap();
        let mine = Scratch::make(place.path()).unwrap();
        age(mine.folder());
        for name in ["nearfar-lab-old", "nearfar-lab-young", "another-user"] {
            fs::create_dir(place.path().join(name)).unwrap();
        }
        age(&place.path().join("nearfar-lab-old"));
        age(&place.path().join("another-user"));

        remove_abandoned(place.path());
        assert!(mine.folder().exists());
        assert!(!place.path().join("nearfar-lab-old").exists());
        assert!(place.path().join("nearfar-lab-young").exists());
        assert!(place.path().join("another-user").exists());
    }
}
