//! Whether this process may open a file.

use std::fs::OpenOptions;
use std::io::ErrorKind;

use crate::source::Source;

/// What opening a file gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileAccess {
    /// It can be opened.
    Allowed,
    /// It exists, and permission is denied.
    Denied,
    /// It is on a file system that is mounted read-only, as containers do it.
    ReadOnly,
    /// It does not exist, or its device does not.
    Absent,
}

impl FileAccess {
    /// Opens a file of the live machine for reading, and closes it. Captured machines have no
    /// files to open.
    ///
    /// # References
    ///
    /// open(2)
    pub fn to_read(source: &Source, path: &str) -> Self {
        Self::by(source, path, OpenOptions::new().read(true))
    }

    /// Opens a file of the live machine for writing, and closes it. Nothing is written.
    ///
    /// # References
    ///
    /// open(2)
    pub fn to_write(source: &Source, path: &str) -> Self {
        Self::by(source, path, OpenOptions::new().write(true))
    }

    fn by(source: &Source, path: &str, options: &OpenOptions) -> Self {
        if !source.is_live() {
            return Self::Absent;
        }
        match options.open(path).map_err(|error| error.kind()) {
            Ok(_) => Self::Allowed,
            Err(ErrorKind::PermissionDenied) => Self::Denied,
            Err(ErrorKind::ReadOnlyFilesystem) => Self::ReadOnly,
            Err(_) => Self::Absent,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_and_allowed_files_differ() {
        let live = Source::live();
        assert_eq!(FileAccess::to_read(&live, "/proc/self/status"), FileAccess::Allowed);
        assert_eq!(FileAccess::to_write(&live, "/dev/null"), FileAccess::Allowed);
        assert_eq!(FileAccess::to_read(&live, "/proc/self/no-such-file"), FileAccess::Absent);
        let captured = Source::from_files([("/dev/null", "")]);
        assert_eq!(FileAccess::to_read(&captured, "/dev/null"), FileAccess::Absent);
    }
}
