//! The terminal's second screen, in raw mode; both end with the command, also by a panic.

use std::io::{self, Write};
use std::panic;
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
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::super::keys;

/// What a user did.
pub(super) enum Event {
    Key(Key),
    Resized,
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
        enable_raw_mode().context("cannot set the terminal's mode")?;
        let terminal =
            Self { without_styles: std::env::var_os("NO_COLOR").is_some_and(|it| !it.is_empty()) };
        execute!(io::stdout(), EnterAlternateScreen, DisableLineWrap, Hide)
            .context("cannot write to the terminal")?;
        Ok(terminal)
    }

    /// Columns and lines.
    pub(super) fn size(&self) -> (usize, usize) {
        let (width, height) = size().unwrap_or((80, 24));
        (usize::from(width), usize::from(height))
    }

    /// Draws all lines.
    pub(super) fn draw(&mut self, lines: &[String]) -> anyhow::Result<()> {
        let write = || -> io::Result<()> {
            let mut out = io::stdout().lock();
            queue!(out, BeginSynchronizedUpdate)?;
            for (row, line) in (0..).zip(lines) {
                queue!(out, MoveTo(0, row), Clear(ClearType::CurrentLine))?;
                match self.without_styles {
                    true => queue!(out, Print(anstream::adapter::strip_str(line)))?,
                    false => queue!(out, Print(line))?,
                }
            }
            queue!(out, Clear(ClearType::FromCursorDown), EndSynchronizedUpdate)?;
            out.flush()
        };
        write().context("cannot write to the terminal")
    }

    /// Whether the terminal was closed: nothing can be read or shown any more. A program without a
    /// controlling terminal gets no signal for that.
    pub(super) fn is_closed(&self) -> bool {
        let input = io::stdin();
        let mut inputs = [PollFd::new(&input, PollFlags::IN)];
        let now = Timespec::default();
        poll(&mut inputs, Some(&now)).is_ok()
            && inputs[0].revents().intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL)
    }

    /// What the user does within this time.
    pub(super) fn event(&mut self, within: Duration) -> anyhow::Result<Option<Event>> {
        let read = || -> io::Result<Option<Event>> {
            if !event::poll(within)? {
                return Ok(None);
            }
            Ok(match event::read()? {
                event::Event::Resize(..) => Some(Event::Resized),
                event::Event::Key(key) if key.kind != KeyEventKind::Release => {
                    keys::key(key).map(Event::Key)
                }
                _ => None,
            })
        };
        read().context("cannot read from the terminal")
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        leave();
    }
}

fn leave() {
    // What cannot be restored cannot be reported either.
    let _ = execute!(io::stdout(), Show, EnableLineWrap, LeaveAlternateScreen);
    let _ = disable_raw_mode();
}
