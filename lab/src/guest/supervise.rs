//! Watches over a guest until all of it has arrived, or something ends it early.

use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use nearfar_view::terminal::Interrupt;

use super::arguments::Ports;
use super::console::ConsoleTail;
use super::device_windows::DeviceWindows;
use super::process::Emulator;
use super::relay::{self, Event, STREAMS, Sinks};
use super::report::StatusLine;
use super::{GuestError, GuestJob, GuestOutcome};

/// How soon Ctrl-C is noticed.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// How long the last words of a dying guest may take to be handed on.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// The state of waiting for a guest.
pub(super) struct GuestSupervisor {
    emulator: Emulator,
    events: Receiver<Event>,
    console: ConsoleTail,
    command: String,
    out: Option<PathBuf>,
    started: Instant,
    timeout: Duration,
    interrupt: Interrupt,
    progress: GuestProgress,
    /// Absent where reaching devices costs nothing.
    windows: Option<DeviceWindows>,
}

/// The emulator's status, and the last lines of the guest's console and of the emulator itself.
struct LastWords {
    status: Option<ExitStatus>,
    guest: Vec<String>,
    emulator: Vec<String>,
}

/// How far the guest has come.
#[derive(Debug, Default)]
struct GuestProgress {
    began: Option<Duration>,
    status: Option<u8>,
    files: Option<Vec<PathBuf>>,
    /// Streams that have ended as they should.
    whole: usize,
}

impl GuestSupervisor {
    pub(super) fn new(
        emulator: Emulator,
        ports: Ports,
        end: &str,
        job: GuestJob,
        windows: Option<DeviceWindows>,
        interrupt: Interrupt,
    ) -> Self {
        let console = ConsoleTail::default();
        let GuestJob { command, stdout, stderr, out, timeout, setup } = job;
        let command =
            command.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
        let sinks = Sinks {
            stdout,
            stderr,
            out: out.clone(),
            console: console.clone(),
            show_console: setup.verbose,
        };
        let events = relay::start(ports, sinks, end);
        let (started, progress) = (Instant::now(), GuestProgress::default());
        Self {
            emulator,
            events,
            console,
            command,
            out,
            started,
            timeout,
            interrupt,
            progress,
            windows,
        }
    }

    /// Waits for the guest's end; there is no emulator when this returns.
    pub(super) fn supervise(mut self) -> Result<GuestOutcome, GuestError> {
        let deadline = self.started + self.timeout;
        loop {
            if let Some(done) = self.progress.done() {
                self.emulator.end();
                return Ok(done);
            }
            if self.interrupt.came() {
                self.stop();
                return Err(GuestError::Interrupted);
            }
            if Instant::now() >= deadline {
                let (after, when) = (self.timeout, self.progress.when());
                return Err(GuestError::TimedOut { after, when, words: self.stop().guest });
            }
            match self.events.recv_timeout(LOOK_AGAIN).map(|event| self.take(event)) {
                Ok(Ok(())) | Err(RecvTimeoutError::Timeout) => {}
                Ok(Err(error)) => {
                    self.stop();
                    return Err(error);
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.died()),
            }
        }
    }

    /// Notes an event, which may be an error.
    fn take(&mut self, event: Event) -> Result<(), GuestError> {
        match event {
            Event::Report(StatusLine::Began) => self.progress.began = Some(self.started.elapsed()),
            Event::Report(StatusLine::Status(status)) => self.progress.status = Some(status),
            Event::Report(StatusLine::Missing) => {
                return Err(GuestError::Missing { command: self.command.clone() });
            }
            Event::Report(StatusLine::Unusable) => {
                return Err(GuestError::Unusable { command: self.command.clone() });
            }
            Event::Report(StatusLine::Packed(true)) => {}
            Event::Report(line @ (StatusLine::Bar(_) | StatusLine::Mapped(_))) => {
                self.note_window(line);
            }
            Event::Report(StatusLine::AllMapped) => {
                self.windows.as_ref().map_or(Ok(()), DeviceWindows::write)?;
            }
            Event::Report(StatusLine::Packed(false)) => return Err(GuestError::Unpacked),
            Event::Whole => self.progress.whole += 1,
            Event::Files(files) => self.progress.files = Some(files),
            Event::Unwritable(source) => return Err(GuestError::Stdout(source)),
            Event::Unkept(source) => {
                return Err(GuestError::Out { path: self.out.clone().unwrap_or_default(), source });
            }
        }
        Ok(())
    }

    fn note_window(&mut self, line: StatusLine) {
        match (&mut self.windows, line) {
            (Some(windows), StatusLine::Bar(bar)) => windows.add_bar(bar),
            (Some(windows), StatusLine::Mapped(mapping)) => windows.add_mapping(mapping),
            _ => {}
        }
    }

    /// The emulator ended by itself. QEMU leaves with 0 after a panic or a power-off, and with
    /// another status for its own reasons.
    fn died(self) -> GuestError {
        let when = self.progress.when();
        let began = self.progress.began.is_some();
        let LastWords { status, guest, emulator } = self.stop();
        let own_fault = status.is_some_and(|status| !status.success());
        match own_fault && !began {
            true => GuestError::Refused { words: emulator },
            false => GuestError::Died { when, words: [guest, emulator].concat() },
        }
    }

    /// Kills the emulator, and lets its output be passed on.
    fn stop(self) -> LastWords {
        let (status, emulator) = self.emulator.kill();
        let deadline = Instant::now() + LAST_WORDS;
        while self.events.recv_timeout(deadline.saturating_duration_since(Instant::now())).is_ok() {
        }
        LastWords { status, guest: self.console.lines(), emulator }
    }
}

impl GuestProgress {
    fn done(&mut self) -> Option<GuestOutcome> {
        let (status, booted_after) = (self.status?, self.began?);
        let files = self.files.take_if(|_| self.whole == STREAMS)?;
        Some(GuestOutcome { status, booted_after, files, ledger: None })
    }

    fn when(&self) -> &'static str {
        match (self.began, self.status) {
            (None, _) => "before the command began",
            (_, None) => "while the command ran",
            _ => "after the command had ended",
        }
    }
}
