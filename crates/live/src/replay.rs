//! The ticks of a recording, forwards, and some of them backwards.

use std::collections::VecDeque;
use std::io::BufRead;
use std::path::PathBuf;

use thiserror::Error;

use crate::document::Tick;
use crate::recording::Recording;

/// Ticks that are kept for stepping backwards.
const KEPT: usize = 3600;

/// Why a recording ends, or does not begin.
#[derive(Debug, Error)]
pub enum ReplayError {
    /// It is damaged behind the last tick.
    #[error("{} {why}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// It has no tick.
    #[error("{} has no interval: it was recorded for less than one", path.display())]
    NoTick {
        /// The file.
        path: PathBuf,
    },
}

/// A recording that is shown.
#[derive(Debug)]
pub struct Replay<R> {
    recording: Recording<R>,
    path: PathBuf,
    kept: VecDeque<Tick>,
    /// The tick that is shown, among those that are kept.
    at: usize,
    /// Why there are no more ticks.
    damage: Option<String>,
}

impl<R: BufRead> Replay<R> {
    /// Reads the first tick of a recording, which is in the file `path`.
    ///
    /// # Errors
    ///
    /// It has no tick, or its first one is damaged.
    pub fn new(path: PathBuf, recording: Recording<R>) -> Result<Self, ReplayError> {
        let kept = VecDeque::new();
        let mut replay = Self { recording, path, kept, at: 0, damage: None };
        if !replay.read_next() {
            replay.end()?;
            return Err(ReplayError::NoTick { path: replay.path });
        }
        Ok(replay)
    }

    /// Seconds between two ticks.
    pub fn delay_s(&self) -> f64 {
        self.recording.head().delay_s.clamp(0.1, 3600.0)
    }

    /// The tick that is shown.
    pub fn current(&self) -> &Tick {
        &self.kept[self.at]
    }

    /// Goes to the next or previous tick; false at either end.
    pub fn step(&mut self, by: i64) -> bool {
        if by < 0 {
            let has_previous = self.at > 0;
            self.at = self.at.saturating_sub(1);
            return has_previous;
        }
        if self.at + 1 < self.kept.len() {
            self.at += 1;
            return true;
        }
        let has_next = self.read_next();
        if has_next {
            self.at = self.kept.len() - 1;
        }
        has_next
    }

    fn read_next(&mut self) -> bool {
        if self.damage.is_some() {
            return false;
        }
        match self.recording.next_tick() {
            Ok(Some(tick)) => {
                self.kept.push_back(tick);
                if self.kept.len() > KEPT {
                    self.kept.pop_front();
                }
                true
            }
            Ok(None) => false,
            Err(damage) => {
                self.damage = Some(damage.to_string());
                false
            }
        }
    }

    /// The end of the recording.
    ///
    /// # Errors
    ///
    /// It is damaged behind the last tick.
    pub fn end(&self) -> Result<(), ReplayError> {
        match self.damage.clone() {
            Some(why) => Err(ReplayError::Damaged { path: self.path.clone(), why }),
            None => Ok(()),
        }
    }
}
