//! A file that appears whole or not at all.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use tempfile::NamedTempFile;

/// A file that is written beside its name, and gets the name when it is whole.
#[derive(Debug)]
pub(crate) struct WholeFile {
    draft: NamedTempFile,
    path: PathBuf,
}

impl WholeFile {
    /// Opens a draft beside `path`, which shows whether the folder can be written.
    pub(crate) fn create(path: &Path) -> anyhow::Result<Self> {
        // A link stays a link.
        let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
            return Err(io::Error::other("not a regular file")).with_context(|| unwritable(path));
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        // Who may read it is the user's umask to say.
        builder.prefix(".nearfar-").suffix(".draft").permissions(fs::Permissions::from_mode(0o666));
        let draft = builder.tempfile_in(folder).map_err(|error| plain(&error)).with_context(|| unwritable(path))?;
        Ok(Self { draft, path: path.to_owned() })
    }

    /// Writes the file and gives it its name. Nothing is left behind when that fails (a full disk, say).
    pub(crate) fn keep(self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
        let Self { draft, path } = self;
        written(draft, &path, write).with_context(|| unwritable(&path))
    }
}

/// Refuses a place where one of these documents is: what is made of it has less in it.
pub(crate) fn spare(path: &Path, documents: &[PathBuf]) -> anyhow::Result<()> {
    let same = |document: &&PathBuf| {
        fs::canonicalize(document).is_ok_and(|there| fs::canonicalize(path).is_ok_and(|here| here == there))
    };
    match documents.iter().find(same) {
        Some(document) => bail!("{} is the document that is read: name another file", document.display()),
        None => Ok(()),
    }
}

fn written(draft: NamedTempFile, path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(draft.as_file());
    write(&mut out)?;
    out.flush()?;
    drop(out);
    draft.as_file().sync_all()?;
    draft.persist(path).map_err(|error| error.error)?;
    Ok(())
}

fn unwritable(path: &Path) -> String {
    format!("cannot write to {}", path.display())
}

/// The system's error without the draft's random name, which tells the user nothing.
fn plain(error: &io::Error) -> io::Error {
    let said = error.to_string();
    io::Error::new(error.kind(), said.split(" at path ").next().unwrap_or(&said))
}
