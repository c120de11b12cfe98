//! The kernel's files, below a root.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use nearfar_model::Bytes;
use serde::{Deserialize, Serialize};

use crate::{MachineError, Source};

/// The longest text of a setting: a line of the kernel's.
const MAX_BYTES: Bytes = Bytes::mib(1);

/// Reads and writes files by their absolute path.
pub trait SettingFiles {
    /// The file's text, without surrounding whitespace.
    fn read(&self, path: &str) -> io::Result<String>;
    /// Writes a text by one system call.
    fn write(&self, path: &str, text: &str) -> io::Result<()>;
    /// Whether the file may be opened for writing. The kernel may refuse a text nevertheless.
    fn check_writable(&self, path: &str) -> io::Result<()>;
}

/// Files below a folder; below `/`, the kernel's.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RootedFiles(PathBuf);

impl RootedFiles {
    /// The files of this machine.
    pub fn live() -> Self {
        Self::below(Path::new("/"))
    }

    /// The files below a folder.
    pub fn below(root: &Path) -> Self {
        Self(root.to_owned())
    }

    /// The same files, to read what a machine reports.
    ///
    /// # Errors
    ///
    /// A folder without a machine.
    pub fn source(&self) -> Result<Source, MachineError> {
        if self.0 == Path::new("/") { Ok(Source::live()) } else { Source::open(&self.0) }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.join(path.trim_start_matches('/'))
    }
}

impl SettingFiles for RootedFiles {
    fn read(&self, path: &str) -> io::Result<String> {
        let text = nearfar_view::input::read_entry(&self.path(path), MAX_BYTES)?;
        Ok(String::from_utf8_lossy(&text).trim().to_owned())
    }

    fn write(&self, path: &str, text: &str) -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).truncate(true).open(self.path(path))?;
        file.write_all(format!("{text}\n").as_bytes())
    }

    fn check_writable(&self, path: &str) -> io::Result<()> {
        OpenOptions::new().write(true).open(self.path(path)).map(drop)
    }
}
