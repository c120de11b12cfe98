//! On a terminal: a screen that is drawn anew each interval, and keys.

mod terminal;

use std::time::{Duration, Instant};

use nearfar_live::text::frame;
use nearfar_live::{Effort, Key, KeyEffect, Observer, Shown, Tick, View};
use nearfar_machine::Source;
use nearfar_view::terminal::Interrupt;

use super::Recorder;
use super::after;
use super::replay::FileReplay;
use super::selected::{self, Ending};
use terminal::{Event, Terminal};

/// Rows that are recorded.
pub(super) const RECORDED: usize = 200;
/// The longest wait without a look at signals.
const POLL: Duration = Duration::from_millis(250);

pub(super) fn live(
    source: &Source,
    mut observer: Observer<'_>,
    view: View,
    delay_s: f64,
    mut recorder: Option<Recorder>,
    interrupt: &Interrupt,
) -> anyhow::Result<()> {
    observer.observe(&Shown::default(), Effort::Samples(RECORDED));
    let mut screen = Screen::new(view)?;
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
                wake @ (Wake::Redraw | Wake::Selected(_)) => {
                    if let Wake::Selected(effect) = wake {
                        screen.act(effect, source);
                    }
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
    let mut screen = Screen::new(view)?;
    let delay_s = replay.delay_s();
    let mut next = after(Instant::now(), delay_s);
    loop {
        screen.draw(&replay.current().arranged(&screen.view))?;
        match screen.wait(next, interrupt)? {
            Wake::Quit => return Ok(()),
            Wake::Redraw | Wake::Selected(_) => {}
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
    /// The processes of the list.
    listed: Vec<(u32, String)>,
    /// What is to be ended once the user confirms it.
    ending: Option<Ending>,
}

/// Why a wait ended.
enum Wake {
    Time,
    Redraw,
    Step(i64),
    /// Something is to be done with the selected process.
    Selected(KeyEffect),
    Quit,
}

impl Screen {
    fn new(view: View) -> anyhow::Result<Self> {
        let terminal = Terminal::enter()?;
        Ok(Self { terminal, view, page: 1, rows: 0, listed: Vec::new(), ending: None })
    }

    /// Does what a key asks for.
    fn act(&mut self, effect: KeyEffect, source: &Source) {
        if effect == KeyEffect::End {
            self.view.status = self.ending.take().map(|ending| ending.end()).unwrap_or_default();
            return;
        }
        let Some((pid, name)) = self.listed.get(self.view.selected) else {
            self.view.status = "no process is selected".to_owned();
            return;
        };
        if effect == KeyEffect::Show {
            self.view.panel = selected::text(source, *pid, self.terminal.size().0);
            self.view.panel_first = 0;
            return;
        }
        match Ending::new(source, *pid, name) {
            Ok(ending) => {
                self.view.question = ending.question();
                self.ending = Some(ending);
            }
            Err(why) => self.view.status = why,
        }
    }

    fn draw(&mut self, tick: &Tick) -> anyhow::Result<()> {
        let (width, height) = self.terminal.size();
        self.rows = match (&tick.cgroups, self.view.groups) {
            (Some(groups), true) => groups.len(),
            _ => tick.processes.len(),
        };
        self.listed = tick.processes.iter().map(|row| (row.pid, row.name.clone())).collect();
        let size = frame(tick, &self.view, width, height);
        (self.page, self.view.panel_first) = (size.page, size.panel_first);
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
                    effect @ (KeyEffect::Show | KeyEffect::AskEnd | KeyEffect::End) => {
                        return Ok(Wake::Selected(effect));
                    }
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
