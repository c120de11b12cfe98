//! `--replay`: the ticks of a recording, forwards, and some of them backwards.

use std::collections::VecDeque;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use nearfar_live::{DamagedRecording, Recording, Tick};
use nearfar_model::Bytes;
use nearfar_view::input::Input;

use crate::input;

/// A recording of months. It is read tick by tick.
const MOST_BYTES: Bytes = Bytes::gib(1024);
/// Ticks that are kept for stepping backwards.
const KEPT: usize = 3600;

/// A recording that is shown.
pub(super) struct Replay {
    recording: Recording<BufReader<Input>>,
    path: PathBuf,
    kept: VecDeque<Tick>,
    /// The tick that is shown, among those that are kept.
    at: usize,
    /// Why there are no more ticks, and whether that was reported.
    damage: Option<DamagedRecording>,
}

impl Replay {
    /// Opens a recording and reads its first tick.
    pub(super) fn open(path: &Path) -> anyhow::Result<Self> {
        let file = nearfar_view::input::open(path, MOST_BYTES)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let recording = input::read(path, |_| Recording::open(BufReader::new(file)));
        let recording = recording.map_err(|error| anyhow!("{} {error}", path.display()))?;
        let (path, kept) = (path.to_owned(), VecDeque::new());
        let mut replay = Self { recording, path, kept, at: 0, damage: None };
        if !replay.read_next() {
            replay.end()?;
            bail!("{} has no interval: it was recorded for less than one", replay.path.display());
        }
        Ok(replay)
    }

    /// Seconds between two ticks.
    pub(super) fn delay_s(&self) -> f64 {
        self.recording.head().delay_s.clamp(0.1, 3600.0)
    }

    /// The tick that is shown.
    pub(super) fn current(&self) -> &Tick {
        &self.kept[self.at]
    }

    /// Goes to the next or previous tick; false at either end.
    pub(super) fn step(&mut self, by: i64) -> bool {
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
                self.damage = Some(damage);
                false
            }
        }
    }

    /// The end of the recording: an error if it is damaged behind the last tick.
    pub(super) fn end(&self) -> anyhow::Result<()> {
        match &self.damage {
            Some(damage) => Err(anyhow!("{} {damage}", self.path.display())),
            None => Ok(()),
        }
    }
}
