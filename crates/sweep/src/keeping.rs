//! The file of a sweep while it runs: nearly every run is in it, and short runs do not wait for it.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::document::Sweep;
use crate::error::SweepError;

/// Writing takes at most this share of the time: the file grows with every run.
const SHARE: f64 = 0.05;

/// Keeps a sweep in its file.
#[derive(Debug)]
pub struct Keeper<'p> {
    path: &'p Path,
    /// When it was written last, and how long that took.
    last: Option<(Instant, Duration)>,
}

impl<'p> Keeper<'p> {
    /// Of this file.
    pub fn of(path: &'p Path) -> Self {
        Self { path, last: None }
    }

    /// Writes it, unless the last time was only just now.
    pub fn keep(&mut self, sweep: &Sweep) -> Result<(), SweepError> {
        let began = Instant::now();
        if self.last.is_some_and(|(last, took)| (began - last).mul_f64(SHARE) < took) {
            return Ok(());
        }
        sweep.keep(self.path)?;
        self.last = Some((Instant::now(), began.elapsed()));
        Ok(())
    }
}
