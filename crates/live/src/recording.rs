//! Files of ticks: a head, then a line of JSON for each tick.

use std::io::{self, BufRead, Read, Write};

use nearfar_model::{NonNegative, is_cost};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::document::{MachineRates, ProcessRow, SCHEMA, Tick};

/// The largest share that is one: rounding may add to 1.
const MAX_SHARE: f64 = 1.01;
/// The longest line that is read.
const LONGEST: u64 = 64 << 20;

/// The first line of a recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordingHead {
    /// `nearfar.top/1`.
    pub schema: String,
    /// The program that wrote it: `nearfar 0.1.0`.
    pub recorded_by: String,
    /// Seconds between two ticks.
    pub delay_s: f64,
}

/// Why a recording cannot be read, or not further.
#[derive(Debug, Error)]
pub enum DamagedRecording {
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(io::Error),
    /// Another file.
    #[error("is not a recording of 'nearfar top --record': {0}")]
    OtherFile(String),
    /// A line is no tick.
    #[error("is damaged in line {line}: {why}; the {ticks} ticks before it are whole")]
    Damaged {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
        /// Ticks before it.
        ticks: usize,
    },
}

// Not by `#[from]`: the message has the cause.
impl From<io::Error> for DamagedRecording {
    fn from(cause: io::Error) -> Self {
        Self::Unreadable(cause)
    }
}

/// A recording that is read tick by tick.
#[derive(Debug)]
pub struct Recording<R> {
    head: RecordingHead,
    lines: R,
    line: usize,
}

impl RecordingHead {
    /// The head of a new recording.
    pub fn new(version: &str, delay_s: f64) -> Self {
        let recorded_by = format!("nearfar {version}");
        Self { schema: SCHEMA.to_owned(), recorded_by, delay_s }
    }

    /// Writes the first line.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        write_line(out, self)
    }
}

impl<R: BufRead> Recording<R> {
    /// Begins to read.
    ///
    /// # Errors
    ///
    /// [`DamagedRecording::Unreadable`] or [`DamagedRecording::OtherFile`].
    pub fn open(mut lines: R) -> Result<Self, DamagedRecording> {
        let other = |why: &str| DamagedRecording::OtherFile(why.to_owned());
        let text = next_line(&mut lines)?.ok_or_else(|| other("it is empty"))?;
        let head: RecordingHead = serde_json::from_slice(&text)
            .map_err(|error| other(&format!("its first line is no head ({error})")))?;
        if head.schema != SCHEMA {
            let schema: String = head.schema.chars().take(40).collect();
            return Err(other(&format!("its schema is '{schema}', this version reads '{SCHEMA}'")));
        }
        if !is_cost(head.delay_s) {
            return Err(other(&format!("its interval is {} s", head.delay_s)));
        }
        Ok(Self { head, lines, line: 1 })
    }

    /// Its head.
    pub fn head(&self) -> &RecordingHead {
        &self.head
    }

    /// The next tick; `None` at the end.
    ///
    /// # Errors
    ///
    /// [`DamagedRecording::Damaged`]: the ticks before it are whole.
    pub fn next_tick(&mut self) -> Result<Option<Tick>, DamagedRecording> {
        let ticks = self.line - 1;
        self.line += 1;
        let damaged = |why: String| DamagedRecording::Damaged { line: self.line, why, ticks };
        let text = match next_line(&mut self.lines) {
            Ok(Some(text)) => text,
            Ok(None) => return Ok(None),
            Err(error) => return Err(damaged(error.to_string())),
        };
        let why = |error: serde_json::Error| match error.is_eof() {
            true => "it is cut off".to_owned(),
            false => format!("{error}"),
        };
        let tick: Tick = serde_json::from_slice(&text).map_err(|error| damaged(why(error)))?;
        let _: NonNegative = serde_json::from_slice(&text).map_err(|error| damaged(why(error)))?;
        if let Some(share) = tick.shares().find(|share| *share > MAX_SHARE) {
            return Err(damaged(format!("a share is {share}, above 1")));
        }
        match tick.schema.as_str() {
            SCHEMA => Ok(Some(tick)),
            _ => Err(damaged(format!("its schema is not '{SCHEMA}'"))),
        }
    }
}

impl Tick {
    /// Writes its line with the first rows of processes.
    pub fn write_rows(&self, out: &mut impl Write, rows: usize) -> io::Result<()> {
        if self.processes.len() <= rows {
            return self.write(out);
        }
        let mut tick = self.clone();
        tick.processes.truncate(rows);
        tick.write(out)
    }

    /// What cannot be above 1.
    fn shares(&self) -> impl Iterator<Item = f64> {
        let figures = |row: &ProcessRow| {
            let share = row.remote_share?;
            Some([share.value, share.ci95[0], share.ci95[1]])
        };
        let process_shares = self.processes.iter().filter_map(figures).flatten();
        let groups = self.cgroups.iter().flatten();
        let group_shares = groups.flat_map(|row| [row.remote_share, row.memory_wait_some]);
        let MachineRates { hint_faults_local_share, memory_wait_some, memory_wait_full, .. } =
            &self.machine;
        let own = [*hint_faults_local_share, *memory_wait_some, *memory_wait_full];
        process_shares.chain(group_shares.chain(own).flatten())
    }

    /// Writes the tick's line.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        write_line(out, self)
    }
}

fn write_line(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    out.write_all(nearfar_model::json_line(value)?.as_bytes())
}

fn next_line(lines: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    lines.take(LONGEST).read_until(b'\n', &mut line)?;
    Ok((!line.is_empty()).then_some(line))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn recorded(ticks: usize) -> Vec<u8> {
        let mut file = Vec::new();
        RecordingHead::new("0.1.0", 1.0).write(&mut file).unwrap();
        let tick = Tick { schema: SCHEMA.to_owned(), interval_s: 1.0, ..Tick::default() };
        (0..ticks).for_each(|_| tick.write(&mut file).unwrap());
        file
    }

    /// The number of whole ticks, and the error behind them.
    fn read(file: &[u8]) -> (usize, Option<String>) {
        let mut recording = match Recording::open(file) {
            Ok(recording) => recording,
            Err(error) => return (0, Some(error.to_string())),
        };
        for ticks in 0.. {
            match recording.next_tick() {
                Ok(Some(_)) => {}
                Ok(None) => return (ticks, None),
                Err(error) => return (ticks, Some(error.to_string())),
            }
        }
        unreachable!("a recording ends")
    }

    #[test]
    fn ticks_come_back() {
        assert_eq!(read(&recorded(3)), (3, None));
    }

    #[test]
    fn a_cut_or_damaged_file_keeps_the_ticks_before() {
        let whole = recorded(3);
        let (ticks, error) = read(&whole[..whole.len() - 9]);
        let wanted = "is damaged in line 4: it is cut off; the 2 ticks before it are whole";
        assert_eq!((ticks, error.as_deref()), (2, Some(wanted)));
        let mut garbage = recorded(1);
        garbage.extend(b"{\"schema\": \"nearfar.where/1\"}\n");
        let (ticks, error) = read(&garbage);
        assert_eq!(ticks, 1);
        assert!(error.unwrap().starts_with("is damaged in line 3: missing field"));
    }

    #[test]
    fn other_files_are_refused() {
        for (text, why) in [
            ("", "it is empty"),
            ("PID COMMAND\n", "its first line is no head"),
            (
                "{\"schema\":\"nearfar.top/2\",\"recorded_by\":\"\",\"delay_s\":1}\n",
                "its schema is 'nearfar.top/2', this version reads 'nearfar.top/1'",
            ),
        ] {
            let error = read(text.as_bytes()).1.unwrap();
            assert!(error.contains(why), "{error}");
        }
    }

    proptest! {
        #[test]
        fn any_damage_is_an_error_or_a_tick(at in 0usize..2000, byte in any::<u8>()) {
            let mut file = recorded(3);
            let at = at % file.len();
            file[at] = byte;
            read(&file);
            read(&file[..at]);
        }
    }
}
