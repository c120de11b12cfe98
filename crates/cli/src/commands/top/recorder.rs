//! `--record`: a file that grows by a line each interval.

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Context;
use nearfar_live::{RecordingHead, Tick};
use nearfar_view::owned_files::{IfExists, WholeFile, open_device};
use nearfar_view::terminal::exit::WrongUsage;

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
        let head = RecordingHead::new(env!("CARGO_PKG_VERSION"), delay_s);
        let begin = |mut file: WholeFile| head.write(file.file()).and_then(|()| file.begin());
        let if_exists = if force { IfExists::Replace } else { IfExists::Refuse };
        let device = if force { open_device(path) } else { Ok(None) };
        let opened = match device {
            Ok(Some(mut device)) => head.write(&mut device).map(|()| (device, path.to_owned())),
            Ok(None) => WholeFile::create(path, if_exists).and_then(begin),
            Err(error) => Err(error),
        };
        match opened {
            Ok((file, path)) => Ok(Self { file, path, rows }),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let why = format!("{} already exists: --force overwrites it", path.display());
                Err(WrongUsage(why).into())
            }
            Err(error) => Err(error).with_context(|| unwritable(path)),
        }
    }

    pub(super) fn record(&mut self, tick: &Tick) -> anyhow::Result<()> {
        tick.write_rows(&mut self.file, self.rows).with_context(|| unwritable(&self.path))
    }
}

fn unwritable(path: &Path) -> String {
    format!("cannot write to {}", path.display())
}
