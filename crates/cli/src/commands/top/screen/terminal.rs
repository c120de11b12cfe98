//! The terminal's second screen, in raw mode; both end with the command, also by a panic.

use std::io::{self, Write};
use std::panic;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Context;
use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{self, KeyEventKind};
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, DisableLineWrap, EnableLineWrap,
    EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode, size,
};
use crossterm::{execute, queue, style::Print};
use nearfar_live::Key;
use nearfar_view::terminal::charset;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use signal_hook::consts::SIGHUP;
use signal_hook::flag;

use super::super::keys;

/// The status of a command whose terminal was closed, as of one that SIGHUP ended.
const HUNG_UP: i32 = 129;

/// What a user did.
pub(super) enum Event {
    Key(Key),
    Resized,
    /// The terminal is gone.
    Closed,
}

/// A terminal that is restored when this is dropped.
pub(super) struct Terminal {
    without_styles: bool,
}

impl Terminal {
    /// Takes the terminal. A panic restores it before its message.
    pub(super) fn enter() -> anyhow::Result<Self> {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |about| {
            leave();
            usual(about);
        }));
        end_with_the_terminal().context("cannot listen for signals")?;
        enable_raw_mode().context("cannot set the terminal's mode")?;
        let terminal =
            Self { without_styles: std::env::var_os("NO_COLOR").is_some_and(|it| !it.is_empty()) };
        execute!(io::stdout(), EnterAlternateScreen, DisableLineWrap, Hide)
            .context("cannot write to the terminal")?;
        Ok(terminal)
    }

    pub(super) fn size(&self) -> (usize, usize) {
        let (width, height) = size().unwrap_or((80, 24));
        (usize::from(width), usize::from(height))
    }

    pub(super) fn draw(&mut self, lines: &[String]) -> anyhow::Result<()> {
        let write = || -> io::Result<()> {
            let mut out = io::stdout().lock();
            queue!(out, BeginSynchronizedUpdate)?;
            for (row, line) in (0..).zip(lines) {
                queue!(out, MoveTo(0, row), Clear(ClearType::CurrentLine))?;
                let line = charset::shown(line);
                match self.without_styles {
                    true => queue!(out, Print(anstream::adapter::strip_str(&line)))?,
                    false => queue!(out, Print(line))?,
                }
            }
            queue!(out, Clear(ClearType::FromCursorDown), EndSynchronizedUpdate)?;
            out.flush()
        };
        write().context("cannot write to the terminal")
    }

    /// What the user does within this time. crossterm must not wait itself: it reads a closed
    /// terminal for ever, and only a controlling terminal sends SIGHUP.
    pub(super) fn event(&mut self, within: Duration) -> anyhow::Result<Option<Event>> {
        let read = || -> io::Result<Option<Event>> {
            for wait in [Duration::ZERO, within] {
                if is_closed(wait) {
                    return Ok(Some(Event::Closed));
                }
                if event::poll(Duration::ZERO)? {
                    return Ok(meaning(event::read()?));
                }
            }
            Ok(None)
        };
        read().context("cannot read from the terminal")
    }
}

/// Waits for input, a signal or this time. Whether nothing can be read any more.
fn is_closed(within: Duration) -> bool {
    let input = io::stdin();
    let mut inputs = [PollFd::new(&input, PollFlags::IN)];
    let within = Timespec::try_from(within).ok();
    let closed = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
    poll(&mut inputs, within.as_ref()).is_ok() && inputs[0].revents().intersects(closed)
}

fn meaning(event: event::Event) -> Option<Event> {
    match event {
        event::Event::Resize(..) => Some(Event::Resized),
        event::Event::Key(key) if key.kind != KeyEventKind::Release => {
            keys::key(key).map(Event::Key)
        }
        _ => None,
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        leave();
    }
}

/// A terminal that is closed has nothing to restore, and reading its keys would not return.
fn end_with_the_terminal() -> io::Result<()> {
    let always = Arc::new(AtomicBool::new(true));
    flag::register_conditional_shutdown(SIGHUP, HUNG_UP, always).map(drop)
}

fn leave() {
    // What cannot be restored cannot be reported either.
    let _ = execute!(io::stdout(), Show, EnableLineWrap, LeaveAlternateScreen);
    let _ = disable_raw_mode();
}
