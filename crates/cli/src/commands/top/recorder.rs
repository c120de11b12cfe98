//! `--record`: a file that grows by a line each interval.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use anyhow::Context;
use nearfar_live::{RecordingHead, Tick};
use nearfar_terminal::exit::WrongUsage;

/// A recording that is written.
pub(super) struct Recorder {
    file: File,
    path: PathBuf,
    rows: usize,
}

impl Recorder {
    /// Creates the file. An existing one is overwritten by force only.
    pub(super) fn create(
        path: &Path,
        force: bool,
        delay_s: f64,
        rows: usize,
    ) -> anyhow::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create(force).truncate(force).create_new(!force);
        let mut file = match options.open(path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let why = format!("{} already exists: --force overwrites it", path.display());
                return Err(WrongUsage(why).into());
            }
            opened => opened.with_context(|| unwritable(path))?,
        };
        let head = RecordingHead::new(env!("CARGO_PKG_VERSION"), delay_s);
        head.write(&mut file).with_context(|| unwritable(path))?;
        Ok(Self { file, path: path.to_owned(), rows })
    }

    /// Appends a tick.
    pub(super) fn record(&mut self, tick: &Tick) -> anyhow::Result<()> {
        write(&mut self.file, tick, self.rows).with_context(|| unwritable(&self.path))
    }
}

/// A tick's line, with its first rows.
pub(super) fn write(out: &mut impl io::Write, tick: &Tick, rows: usize) -> io::Result<()> {
    if tick.processes.len() <= rows {
        return tick.write(out);
    }
    let mut tick = tick.clone();
    tick.processes.truncate(rows);
    tick.write(out)
}

fn unwritable(path: &Path) -> String {
    format!("cannot write to {}", path.display())
}
