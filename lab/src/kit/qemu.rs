//! Which QEMU there is.

use std::env;
use std::iter;
use std::path::{Path, PathBuf};

use super::KitError;
use crate::emulator::QemuVersion;

/// A QEMU that can be used.
#[derive(Debug)]
pub(crate) struct Qemu {
    pub(crate) path: PathBuf,
    pub(crate) version: QemuVersion,
}

impl Qemu {
    /// The emulator called `name`: the kit's own, in `folder`, else that of the system. Whether it
    /// is new enough, the machine's arguments decide.
    pub(super) fn find(folder: &Path, name: &'static str) -> Result<Self, KitError> {
        let path = env::var_os("PATH").unwrap_or_default();
        let mut folders = iter::once(folder.to_owned()).chain(env::split_paths(&path));
        let found =
            folders.find_map(|folder| Some(folder.join(name)).filter(|path| path.is_file()));
        let path = found.ok_or_else(|| KitError::NoQemu { name, folder: folder.to_owned() })?;
        Ok(Self { version: QemuVersion::from_program(&path)?, path })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_qemu_of_the_kit_goes_before_that_of_the_system() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("qemu-system-x86_64");
        fs::write(&path, "#!/bin/sh\necho QEMU emulator version 99.1.0\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let found = Qemu::find(folder.path(), "qemu-system-x86_64").unwrap();
        assert_eq!((found.path, found.version.major, found.version.minor), (path, 99, 1));
    }

    #[test]
    fn a_missing_qemu_is_a_line_with_a_remedy() {
        let error =
            Qemu::find(Path::new("/nowhere"), "qemu-system-missing").unwrap_err().to_string();
        assert!(
            error.contains("qemu-system-missing") && error.ends_with("run ./dev lab-setup"),
            "{error}"
        );
    }
}
