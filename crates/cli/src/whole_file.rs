//! A file that appears whole or not at all, and whether it replaces an existing one.

use std::fs;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use nearfar_survey::{IfExists, WholeFile as Whole};
use nearfar_view::terminal::exit::WrongUsage;
use nearfar_view::terminal::output::OutputError;

/// Whether a file is overwritten.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Force {
    /// Overwrite the file that -o names
    #[arg(long, requires = "output")]
    force: bool,
}

impl Force {
    /// What happens to a file that is there already.
    pub(crate) fn if_exists(self) -> IfExists {
        if self.force { IfExists::Replace } else { IfExists::Refuse }
    }
}

/// A file that gets its name when it is whole.
#[derive(Debug)]
pub(crate) struct OutputFile {
    file: Whole,
    path: PathBuf,
}

impl OutputFile {
    /// Opens the file, which shows whether the folder can be written.
    pub(crate) fn create(path: &Path, if_exists: IfExists) -> anyhow::Result<Self> {
        match Whole::create(path, if_exists) {
            Ok(file) => Ok(Self { file, path: path.to_owned() }),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                Err(WrongUsage(format!("{} already exists: --force overwrites it", path.display()))
                    .into())
            }
            Err(error) => Err(error).with_context(|| unwritable(path)),
        }
    }

    /// Who may read it, whatever the umask.
    pub(crate) fn set_mode(&mut self, mode: u32) -> anyhow::Result<()> {
        self.file.set_mode(mode).with_context(|| unwritable(&self.path))
    }

    /// No other user may write the file, whatever the umask leaves: what is in it will be run.
    pub(crate) fn not_writable_by_others(mut self) -> anyhow::Result<Self> {
        let file = self.file.file();
        let kept = file.metadata().and_then(|about| {
            let mode = about.permissions().mode() & !0o022;
            file.set_permissions(fs::Permissions::from_mode(mode))
        });
        kept.with_context(|| unwritable(&self.path))?;
        Ok(self)
    }

    /// Writes the file, gives it its name and returns the path. No file is left when that
    /// fails, for example on a full disk.
    pub(crate) fn keep(
        self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> anyhow::Result<PathBuf> {
        let Self { mut file, path } = self;
        let mut out = BufWriter::new(file.file());
        let written = write(&mut out).and_then(|()| out.flush());
        drop(out);
        written.and_then(|()| file.keep()).with_context(|| unwritable(&path))
    }
}

/// Writes a whole file to standard output.
pub(crate) fn print(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(unfinished)
}

/// Why a file was not written completely to standard output. Half an archive is a failure even if
/// the reader closed the pipe.
pub(crate) fn unfinished(error: io::Error) -> anyhow::Error {
    match error.kind() {
        ErrorKind::BrokenPipe => {
            anyhow::anyhow!("the reader of standard output stopped before the file's end")
        }
        _ => OutputError::Write(error).into(),
    }
}

/// Refuses to overwrite an input document with a file made from it.
pub(crate) fn spare(path: &Path, documents: &[PathBuf]) -> anyhow::Result<()> {
    let same = |document: &&PathBuf| {
        fs::canonicalize(document)
            .is_ok_and(|there| fs::canonicalize(path).is_ok_and(|here| here == there))
    };
    match documents.iter().find(same) {
        Some(document) => {
            bail!("{} is the input document: name another file", document.display())
        }
        None => Ok(()),
    }
}

fn unwritable(path: &Path) -> String {
    format!("cannot write to {}", path.display())
}
