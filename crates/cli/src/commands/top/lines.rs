//! Without a terminal: each interval as text or as a line of JSON.

use std::io;
use std::time::{Duration, Instant};

use nearfar_live::text::{self, csv, once};
use nearfar_live::{Effort, Observer, Shown, Tick, View};
use nearfar_view::terminal::output::{self, OutputError};
use nearfar_view::terminal::{Interrupt, screen, width};

use super::Recorder;
use super::after;
use super::replay::FileReplay;
use crate::exit::Paused;

/// The longest wait without a look at signals.
const POLL: Duration = Duration::from_millis(50);

#[derive(Clone, Copy, Debug)]
pub(super) struct Printed {
    pub(super) rows: usize,
    pub(super) ticks: Option<u64>,
    pub(super) format: Format,
}

/// The form of what is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Text,
    Json,
    Csv,
}

/// Prints intervals of this machine.
pub(super) fn live(
    mut observer: Observer<'_>,
    view: &View,
    delay_s: f64,
    mut recorder: Option<Recorder>,
    printed: Printed,
    interrupt: &Interrupt,
) -> anyhow::Result<()> {
    // Rows that are printed, and as many that may have to be among them.
    let first = Effort::Samples(printed.rows.saturating_mul(2));
    let effort = if printed.ticks == Some(1) { first } else { Effort::Paced(delay_s) };
    observer.observe(&Shown::default(), first);
    let mut shown = shown(&observer.tick(view), printed.rows);
    let mut next = Instant::now();
    for count in 0.. {
        if printed.ticks.is_some_and(|ticks| count >= ticks) {
            break;
        }
        next = after(next, delay_s);
        if !wait_until(next, interrupt) {
            return stopped(count, printed.ticks);
        }
        observer.observe(&shown, effort);
        let mut tick = observer.tick(view);
        if printed.ticks == Some(1) {
            tick.counters = observer.counters();
        }
        shown = self::shown(&tick, printed.rows);
        if let Some(recorder) = &mut recorder {
            recorder.record(&tick)?;
        }
        print(&tick, view, printed, count == 0)?;
    }
    Ok(())
}

/// Prints the intervals of a recording.
pub(super) fn replay(
    mut replay: FileReplay,
    view: &View,
    ticks: Option<u64>,
    format: Format,
    interrupt: &Interrupt,
) -> anyhow::Result<()> {
    let printed = Printed { rows: usize::MAX, ticks, format };
    for count in 0.. {
        print(&replay.current().arranged(view), view, printed, count == 0)?;
        if ticks.is_some_and(|ticks| count + 1 >= ticks) {
            return Ok(());
        }
        if interrupt.came() {
            return stopped(count + 1, ticks);
        }
        if !replay.step(1) {
            break;
        }
    }
    Ok(replay.end()?)
}

/// Without a number of intervals, the user ends it. Otherwise some are missing.
fn stopped(printed: u64, ticks: Option<u64>) -> anyhow::Result<()> {
    match ticks {
        None => Ok(()),
        Some(ticks) => Err(Paused(format!("{printed} of {ticks} intervals")).into()),
    }
}

fn shown(tick: &Tick, rows: usize) -> Shown {
    Shown {
        pids: tick.processes.iter().take(rows).map(|row| row.pid).collect(),
        groups: tick.cgroups.clone().unwrap_or_default(),
    }
}

fn print(tick: &Tick, view: &View, printed: Printed, is_first: bool) -> anyhow::Result<()> {
    let printed_text = match printed.format {
        Format::Json => {
            let out = &mut io::stdout().lock();
            return Ok(tick.write_rows(out, printed.rows).map_err(OutputError::Write)?);
        }
        Format::Csv => csv(tick, is_first),
        Format::Text => {
            let mut tick = tick.clone();
            tick.processes.truncate(printed.rows);
            if printed.ticks == Some(1) {
                return Ok(screen::print(&text::screen(&tick, view, width::current()))?);
            }
            let gap = if is_first { "" } else { "\n" };
            gap.to_owned() + &once(&tick, view, width::current())
        }
    };
    Ok(output::text(&printed_text)?)
}

/// False if the user stops it.
fn wait_until(time: Instant, interrupt: &Interrupt) -> bool {
    loop {
        let left = time.saturating_duration_since(Instant::now());
        if interrupt.came() {
            return false;
        }
        if left.is_zero() {
            return true;
        }
        std::thread::sleep(POLL.min(left));
    }
}
