//! `--replay`: a recording that is shown.

use std::io::BufReader;
use std::path::Path;

use anyhow::{Context, anyhow};
use nearfar_live::{Recording, Replay};
use nearfar_model::Bytes;
use nearfar_view::input::Input;

use crate::input;

/// A recording of months. It is read tick by tick.
const MAX_BYTES: Bytes = Bytes::gib(1024);

/// A recording in a file.
pub(super) type FileReplay = Replay<BufReader<Input>>;

/// Opens a recording and reads its first tick.
pub(super) fn open(path: &Path) -> anyhow::Result<FileReplay> {
    let file = nearfar_view::input::open(path, MAX_BYTES)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let recording = input::read(path, |_| Recording::open(BufReader::new(file)));
    let recording = recording.map_err(|error| anyhow!("{} {error}", path.display()))?;
    Ok(Replay::new(path.to_owned(), recording)?)
}
