//! Signals that reach this process while it waits for a program are meant for the program.

use std::io;
use std::thread;

use rustix::process::{Pid, Resource, Rlimit, Signal, getpgrp, kill_process, setrlimit};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::{Handle, Signals};

/// Signals caught, and passed on once there is somebody to have them.
pub(super) struct Caught(Signals);

impl Caught {
    /// From here on these signals end this process no more.
    pub(super) fn begin() -> io::Result<Self> {
        Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2]).map(Self)
    }

    /// Passes on what comes, and what has come, until the handle is closed.
    pub(super) fn pass_on_to(mut self, pid: Pid) -> io::Result<Handle> {
        let handle = self.0.handle();
        thread::Builder::new().spawn(move || {
            for number in self.0.forever() {
                if let (Some(signal), false) =
                    (Signal::from_named_raw(number), the_terminal_told_both(number))
                {
                    // The program may have ended meanwhile; it is not reaped before the handle is
                    // closed, so nobody else has its number.
                    let _ = kill_process(pid, signal);
                }
            }
        })?;
        Ok(handle)
    }
}

/// Whether the terminal gave the signal to the program as well: Ctrl-C and Ctrl-\ go to all in the
/// foreground.
fn the_terminal_told_both(signal: i32) -> bool {
    let in_foreground =
        || rustix::termios::tcgetpgrp(std::io::stdin()).is_ok_and(|group| group == getpgrp());
    [SIGINT, SIGQUIT].contains(&signal) && in_foreground()
}

/// Ends this process as the program ended, so that whoever waits sees the signal. The program has
/// left its core; one is enough.
pub(super) fn end_by(signal: i32) {
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    let _ = signal_hook::low_level::emulate_default_handler(signal);
}
