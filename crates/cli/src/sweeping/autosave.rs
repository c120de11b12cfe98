//! The file of a sweep while it runs: nearly every run is in it, and short runs do not wait for it.

use std::path::Path;
use std::time::{Duration, Instant};

use nearfar_sweep::{Sweep, SweepError};

use nearfar_survey::IfExists;
use nearfar_view::terminal::output;

use crate::whole_file::OutputFile;

/// Writing takes at most this share of the time: the file grows with every run.
const SHARE: f64 = 0.05;

/// Keeps a sweep in its file.
#[derive(Debug)]
pub(super) struct Keeper<'p> {
    path: &'p Path,
    /// When it was written last, and how long that took.
    last: Option<(Instant, Duration)>,
    /// Whether the file could not be written the last time.
    has_failed: bool,
}

impl<'p> Keeper<'p> {
    pub(super) fn new(path: &'p Path) -> Self {
        Self { path, last: None, has_failed: false }
    }

    /// Writes it, unless the last time was only just now. A full disk ends no sweep: its runs can
    /// still be printed, and kept once there is room.
    pub(super) fn keep(&mut self, sweep: &Sweep) {
        let began = Instant::now();
        if self.last.is_some_and(|(last, took)| (began - last).mul_f64(SHARE) < took) {
            return;
        }
        let kept = keep(sweep, self.path);
        if let Err(error) = &kept {
            if !self.has_failed {
                output::aside(&format!("nearfar: {error}; the sweep continues"));
            }
        }
        self.has_failed = kept.is_err();
        self.last = Some((Instant::now(), began.elapsed()));
    }
}

/// Writes it at once.
pub(super) fn keep(sweep: &Sweep, path: &Path) -> Result<(), SweepError> {
    let file = OutputFile::create(path, IfExists::Replace);
    let kept = file.and_then(OutputFile::not_writable_by_others).and_then(|file| {
        file.keep(|out| {
            nearfar_model::write_indented_json(&mut *out, sweep)?;
            out.write_all(b"\n")
        })
    });
    kept.map(drop)
        .map_err(|error| SweepError::Unwritable(path.to_owned(), error.root_cause().to_string()))
}
