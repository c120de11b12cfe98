//! Passes signals on to the program that this process waits for.

use std::io;
use std::thread;

use rustix::process::{Pid, Resource, Rlimit, Signal, getpgrp, kill_process, setrlimit};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::{Handle, Signals};

/// Caught signals, to be passed on once the program runs.
pub(super) struct CaughtSignals(Signals);

impl CaughtSignals {
    /// Catches the signals: from now on they do not end this process.
    pub(super) fn begin() -> io::Result<Self> {
        Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2]).map(Self)
    }

    /// Passes on pending and new signals until the handle is closed.
    pub(super) fn pass_on_to(mut self, pid: Pid) -> io::Result<Handle> {
        let handle = self.0.handle();
        thread::Builder::new().spawn(move || {
            for number in self.0.forever() {
                if let (Some(signal), false) =
                    (Signal::from_named_raw(number), is_from_terminal(number))
                {
                    // The program may have ended meanwhile; it is not reaped before the handle is
                    // closed, so no other process has its ID.
                    let _ = kill_process(pid, signal);
                }
            }
        })?;
        Ok(handle)
    }
}

/// Whether the terminal also sent the signal to the program: Ctrl-C and Ctrl-\ go to all foreground
/// processes.
fn is_from_terminal(signal: i32) -> bool {
    let in_foreground =
        || rustix::termios::tcgetpgrp(std::io::stdin()).is_ok_and(|group| group == getpgrp());
    [SIGINT, SIGQUIT].contains(&signal) && in_foreground()
}

/// Ends this process by the signal that ended the program, so that its parent sees it. Without a
/// core file: the program left one.
pub(super) fn end_by(signal: i32) {
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    let _ = signal_hook::low_level::emulate_default_handler(signal);
}
