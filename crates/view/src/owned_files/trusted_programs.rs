//! Which program is started with the rights of this process.

use std::ffi::OsStr;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf, absolute};

use crate::owned_files::caller::{Caller, WRITABLE_BY_OTHERS};
use crate::owned_files::folder::check_program;

/// Where administrators install programs, in the order of the search.
const SYSTEM_FOLDERS: [&str; 9] = [
    "/usr/local/sbin",
    "/usr/local/bin",
    "/usr/sbin",
    "/usr/bin",
    "/sbin",
    "/bin",
    "/usr/local/nvidia/bin",      // NVIDIA's device plugins
    "/usr/lib/wsl/lib",           // WSL
    "/run/current-system/sw/bin", // NixOS
];

/// What may be started: the one place that decides it.
#[derive(Clone, Copy, Debug)]
pub struct TrustedPrograms {
    caller: Caller,
}

impl TrustedPrograms {
    /// For this process.
    pub fn from_this_process() -> Self {
        Self::of(Caller::from_this_process())
    }

    /// For a caller.
    pub const fn of(caller: Caller) -> Self {
        Self { caller }
    }

    /// Whether `PATH` and variables that name programs are no reason to start one.
    pub const fn distrusts_environment(self) -> bool {
        self.caller.is_privileged()
    }

    /// The file of an installed program, by `PATH` where that may decide. `None` where it is not
    /// installed.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn find(self, name: &str) -> io::Result<Option<PathBuf>> {
        if !self.distrusts_environment() {
            let path = std::env::var_os("PATH").unwrap_or_default();
            return Ok(first_file(std::env::split_paths(&path), name));
        }
        let file = first_file(SYSTEM_FOLDERS.iter().map(PathBuf::from), name);
        file.map(|file| self.check(&file).map(|()| file)).transpose()
    }

    /// Checks that a program, and each folder that leads to it, can be changed by root and this
    /// user only.
    ///
    /// # Errors
    /// A [`PathRefusal`](crate::owned_files::PathRefusal), and those of the system.
    pub fn check(self, file: &Path) -> io::Result<()> {
        check_program(&absolute(file)?, self.caller)
    }

    /// The folders of a search path in which only root and this user can make files.
    pub(crate) fn folders(self, path: &OsStr) -> Vec<PathBuf> {
        let is_closed = |folder: &Path| {
            folder.metadata().is_ok_and(|found| found.mode() & WRITABLE_BY_OTHERS == 0)
        };
        let is_trusted = |folder: &PathBuf| {
            folder.is_absolute() && is_closed(folder) && self.check(folder).is_ok()
        };
        std::env::split_paths(path).filter(is_trusted).collect()
    }
}

fn first_file(mut folders: impl Iterator<Item = PathBuf>, name: &str) -> Option<PathBuf> {
    folders.find_map(|folder| Some(folder.join(name)).filter(|file| file.is_file()))
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn programs_and_their_folders_must_be_own() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("bin")).unwrap();
        fs::write(at("bin/tool"), "").unwrap();
        set_mode(&at("bin"), 0o755);
        symlink("bin/tool", at("link")).unwrap();
        let programs = TrustedPrograms::from_this_process();
        for (file_mode, folder_mode, trusted) in [
            (0o755, 0o755, true),
            (0o775, 0o755, false),
            (0o757, 0o755, false),
            (0o755, 0o775, false),
            (0o755, 0o777, false),
        ] {
            set_mode(&at("bin/tool"), file_mode);
            set_mode(&at("bin"), folder_mode);
            for name in ["bin/tool", "link"] {
                let checked = programs.check(&at(name));
                assert_eq!(checked.is_ok(), trusted, "{file_mode:o} {folder_mode:o} {checked:?}");
            }
        }
        set_mode(&at("bin"), 0o755);
        set_mode(&at("bin/tool"), 0o755);
        // Only root can give files away.
        if std::os::unix::fs::chown(at("bin/tool"), Some(4242), None).is_ok() {
            let refused = programs.check(&at("bin/tool")).unwrap_err().to_string();
            assert!(refused.contains("bin/tool can be changed by user 4242"), "{refused}");
        }
    }

    #[test]
    fn library_folders_are_closed_to_others() {
        let folder = tempfile::tempdir().unwrap();
        let programs = TrustedPrograms::from_this_process();
        let path = std::env::join_paths([folder.path(), Path::new("/tmp"), Path::new("here")]);
        assert_eq!(programs.folders(&path.unwrap()), [folder.path()]);
    }

    #[test]
    fn the_privileged_search_system_folders_only() {
        let root = TrustedPrograms::of(Caller::new(0, true));
        assert_eq!(root.find("nearfar-absent").unwrap(), None);
        let user = TrustedPrograms::of(Caller::new(1000, false));
        assert!(user.find("sh").unwrap().is_some_and(|file| file.ends_with("sh")));
        assert_eq!(user.find("nearfar-absent").unwrap(), None);
    }
}
