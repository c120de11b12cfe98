//! On a terminal: a screen that is drawn anew each interval, and keys.

mod terminal;

use std::time::{Duration, Instant};

use nearfar_live::text::frame;
use nearfar_live::{Effort, Key, KeyEffect, Observer, Shown, Tick, View};
use nearfar_view::terminal::Interrupt;

use super::Recorder;
use super::after;
use super::replay::FileReplay;
use terminal::{Event, Terminal};

/// Rows that are recorded.
pub(super) const RECORDED: usize = 200;
/// The longest wait without a look at signals.
const POLL: Duration = Duration::from_millis(250);

pub(super) fn live(
    mut observer: Observer<'_>,
    view: View,
    delay_s: f64,
    mut recorder: Option<Recorder>,
    interrupt: &Interrupt,
) -> anyhow::Result<()> {
    observer.observe(&Shown::default(), Effort::Samples(RECORDED));
    let mut screen = Screen { terminal: Terminal::enter()?, view, page: 1, rows: 0 };
    let mut next = Instant::now();
    loop {
        let tick = observer.tick(&screen.view);
        screen.draw(&tick)?;
        next = after(next, delay_s);
        loop {
            match screen.wait(next, interrupt)? {
                Wake::Quit => return Ok(()),
                Wake::Time => break,
                Wake::Step(_) => {}
                Wake::Redraw => {
                    if screen.view.groups {
                        observer.observe_groups();
                    }
                    screen.draw(&observer.tick(&screen.view))?;
                }
            }
        }
        if screen.view.paused {
            continue;
        }
        observer.observe(&screen.shown(&tick), Effort::Paced(delay_s));
        if let Some(recorder) = &mut recorder {
            recorder.record(&observer.tick(&screen.view))?;
        }
    }
}

pub(super) fn replay(
    mut replay: FileReplay,
    view: View,
    interrupt: &Interrupt,
) -> anyhow::Result<()> {
    let mut screen = Screen { terminal: Terminal::enter()?, view, page: 1, rows: 0 };
    let delay_s = replay.delay_s();
    let mut next = after(Instant::now(), delay_s);
    loop {
        screen.draw(&replay.current().arranged(&screen.view))?;
        match screen.wait(next, interrupt)? {
            Wake::Quit => return Ok(()),
            Wake::Redraw => {}
            Wake::Step(by) => {
                screen.view.paused = true;
                replay.step(by);
            }
            Wake::Time => {
                next = after(next, delay_s);
                if !screen.view.paused && !replay.step(1) {
                    // A damaged recording ends here; a whole one stays on the screen.
                    replay.end()?;
                    screen.view.paused = true;
                }
            }
        }
    }
}

/// The screen, and what the user chose on it.
struct Screen {
    terminal: Terminal,
    view: View,
    /// Lines of the list on the screen, and in all.
    page: usize,
    rows: usize,
}

/// Why a wait ended.
enum Wake {
    Time,
    Redraw,
    Step(i64),
    Quit,
}

impl Screen {
    fn draw(&mut self, tick: &Tick) -> anyhow::Result<()> {
        let (width, height) = self.terminal.size();
        self.rows = match (&tick.cgroups, self.view.groups) {
            (Some(groups), true) => groups.len(),
            _ => tick.processes.len(),
        };
        self.page = frame(tick, &self.view, width, height).page;
        self.view.keep_in(self.rows, self.page);
        self.terminal.draw(&frame(tick, &self.view, width, height).lines)
    }

    /// Waits for a key, or until this time.
    fn wait(&mut self, until: Instant, interrupt: &Interrupt) -> anyhow::Result<Wake> {
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if interrupt.came() {
                return Ok(Wake::Quit);
            }
            if left.is_zero() {
                return Ok(Wake::Time);
            }
            match self.terminal.event(POLL.min(left))? {
                None => {}
                Some(Event::Resized) => return Ok(Wake::Redraw),
                Some(Event::Closed) => return Ok(Wake::Quit),
                Some(Event::Key(key)) => match self.press(key) {
                    KeyEffect::Nothing => {}
                    KeyEffect::Redraw => return Ok(Wake::Redraw),
                    KeyEffect::Step(by) => return Ok(Wake::Step(by)),
                    KeyEffect::Quit => return Ok(Wake::Quit),
                },
            }
        }
    }

    fn press(&mut self, key: Key) -> KeyEffect {
        self.view.press(key, self.rows, self.page)
    }

    /// The processes and groups on the screen.
    fn shown(&self, tick: &Tick) -> Shown {
        let window = self.view.first..;
        let pids = tick.processes.iter().skip(window.start).take(self.page);
        let groups = tick.cgroups.iter().flatten().skip(window.start).take(self.page);
        Shown { pids: pids.map(|row| row.pid).collect(), groups: groups.cloned().collect() }
    }
}
