//! Watches over a guest until all of it has arrived, or something ends it early.

use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use nearfar_terminal::Interrupt;

use super::arguments::Ports;
use super::console::Tail;
use super::process::Emulator;
use super::relay::{self, Event, Sinks, Stream};
use super::report::Report;
use super::until_end::End;
use super::{GuestError, Job};

/// How soon Ctrl-C is noticed.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// How long the last words of a dying guest may take to be handed on.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// What a guest's life came to.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) status: u8,
    pub(super) booted_after: Duration,
    pub(super) files: Vec<PathBuf>,
}

/// Whoever waits for a guest.
pub(super) struct Supervisor {
    emulator: Emulator,
    events: Receiver<Event>,
    console: Tail,
    command: String,
    out: Option<PathBuf>,
    started: Instant,
    timeout: Duration,
    interrupt: Interrupt,
    progress: Progress,
}

/// How far the guest has come.
#[derive(Debug, Default)]
struct Progress {
    began: Option<Duration>,
    status: Option<u8>,
    files: Option<Vec<PathBuf>>,
    whole: Vec<Stream>,
}

impl Supervisor {
    pub(super) fn new(emulator: Emulator, ports: Ports, end: &End, job: Job, interrupt: Interrupt) -> Self {
        let console = Tail::default();
        let Job { command, stdout, stderr, out, timeout, setup } = job;
        let command = command.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
        let sinks = Sinks { stdout, stderr, out: out.clone(), console: console.clone(), show_console: setup.verbose };
        let events = relay::start(ports, sinks, end);
        let (started, progress) = (Instant::now(), Progress::default());
        Self { emulator, events, console, command, out, started, timeout, interrupt, progress }
    }

    /// Waits for the guest's end; there is no emulator when this returns.
    pub(super) fn supervise(mut self) -> Result<Done, GuestError> {
        let deadline = self.started + self.timeout;
        loop {
            if let Some(done) = self.progress.done() {
                self.emulator.end();
                return Ok(done);
            }
            if self.interrupt.came() {
                return Err(self.stop(|_, _| GuestError::Interrupted));
            }
            if Instant::now() >= deadline {
                let (after, when) = (self.timeout, self.progress.when());
                return Err(self.stop(|words, _| GuestError::TimedOut { after, when, words }));
            }
            match self.events.recv_timeout(LOOK_AGAIN) {
                Ok(event) => {
                    if let Some(error) = self.take(event) {
                        return Err(self.stop(|_, _| error));
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(self.died()),
            }
        }
    }

    /// Notes an event; gives the error that it means.
    fn take(&mut self, event: Event) -> Option<GuestError> {
        match event {
            Event::Report(Report::Began) => self.progress.began = Some(self.started.elapsed()),
            Event::Report(Report::Status(status)) => self.progress.status = Some(status),
            Event::Report(Report::Missing) => return Some(GuestError::Missing { command: self.command.clone() }),
            Event::Report(Report::Unusable) => return Some(GuestError::Unusable { command: self.command.clone() }),
            Event::Report(Report::Packed(true)) => {}
            Event::Report(Report::Packed(false)) => return Some(GuestError::Unpacked),
            Event::Whole(stream) => self.progress.whole.push(stream),
            Event::Files(files) => self.progress.files = Some(files),
            Event::Unwritable(source) => return Some(GuestError::Stdout(source)),
            Event::Unkept(source) => {
                return Some(GuestError::Out { path: self.out.clone().unwrap_or_default(), source });
            }
        }
        None
    }

    /// The emulator ended by itself. QEMU leaves with 0 after a panic or a power-off, and with another status for its own reasons.
    fn died(self) -> GuestError {
        let when = self.progress.when();
        let began = self.progress.began.is_some();
        self.stop(|mut words, (status, said)| {
            let own_fault = status.is_some_and(|status| !status.success());
            if own_fault && !began {
                return GuestError::Refused { words: said };
            }
            words.extend(said);
            GuestError::Died { when, words }
        })
    }

    /// Kills the emulator, lets what it said be handed on, and makes the error of the guest's and the emulator's last words.
    fn stop(self, error: impl FnOnce(Vec<String>, (Option<ExitStatus>, Vec<String>)) -> GuestError) -> GuestError {
        let Self { emulator, events, console, .. } = self;
        let own = emulator.kill();
        let deadline = Instant::now() + LAST_WORDS;
        while events.recv_timeout(deadline.saturating_duration_since(Instant::now())).is_ok() {}
        error(console.lines(), own)
    }
}

impl Progress {
    fn done(&mut self) -> Option<Done> {
        let whole = [Stream::Stdout, Stream::Stderr, Stream::Status].iter().all(|stream| self.whole.contains(stream));
        if !whole || self.files.is_none() {
            return None;
        }
        Some(Done { status: self.status?, booted_after: self.began?, files: self.files.take()? })
    }

    fn when(&self) -> &'static str {
        match (self.began, self.status) {
            (None, _) => "before the command began",
            (_, None) => "while the command ran",
            _ => "after the command had ended",
        }
    }
}
