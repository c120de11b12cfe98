//! What the program did so far, in a file: who reads it every second sees a rate.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

/// A drifting program counts a step for half after this time.
const HALVED: Duration = Duration::from_secs(600);

/// A file is always whole: the number only grows.
pub(crate) struct Count {
    file: File,
    sum: f64,
    drifts_since: Option<Instant>,
}

impl Count {
    pub(crate) fn in_file(path: &str) -> io::Result<Self> {
        Ok(Self { file: File::create(path)?, sum: 0.0, drifts_since: None })
    }

    /// Steps count for less and less, as those of a program whose work grows.
    pub(crate) fn drifting(self) -> Self {
        Self { drifts_since: Some(Instant::now()), ..self }
    }

    pub(crate) fn add(&mut self, steps: u64) -> io::Result<()> {
        let age = self.drifts_since.map_or(Duration::ZERO, |since| since.elapsed());
        self.sum += steps as f64 / (1.0 + age.as_secs_f64() / HALVED.as_secs_f64());
        self.file.write_all_at(format!("{:.0}\n", self.sum).as_bytes(), 0)
    }
}
