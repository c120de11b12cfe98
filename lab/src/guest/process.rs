//! The emulator's process. It never outlives the launcher: not its errors, not Ctrl-C, not SIGKILL.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use nearfar_view::terminal::output;
use rustix::process::{Pid, Signal, kill_process};

use super::arguments::Invocation;
use super::console::ConsoleTail;
use super::{GuestError, Setup};
use crate::image;

/// How long an emulator may take to write its account and go.
const QUIT_TIMEOUT: Duration = Duration::from_secs(20);
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// Nearly all CPU time that it wants, where the kernel permits (as root): for guests in which time
/// is measured.
///
/// Nice values count within a session only where the kernel groups processes by session (autogroup,
/// `sched(7)`), so both are set. What is refused is no error: the guest runs with its share.
const FIRST_CLAIM: &str =
    r#"{ echo -20 >/proc/self/autogroup; renice -n -20 -p $$; } >/dev/null 2>&1; exec "$@""#;

/// A running emulator; killed when dropped.
#[derive(Debug)]
pub(super) struct Emulator {
    child: Child,
    /// The emulator's stderr; the guest's output comes by ports.
    tail: ConsoleTail,
    listener: Option<JoinHandle<()>>,
}

impl Emulator {
    /// Starts it with neither input nor terminal.
    pub(super) fn start(
        qemu: &Path,
        invocation: &Invocation,
        setup: &Setup,
    ) -> Result<Self, GuestError> {
        let verbose = setup.verbose;
        let emulator = command_line(qemu, invocation, verbose);
        let mut command = in_own_session(&emulator, !setup.no_plugin);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = spawn(&mut command)?;
        let tail = ConsoleTail::default();
        let listener = child.stderr.take().map(|stderr| {
            let tail = tail.clone();
            thread::spawn(move || tail.follow(stderr, verbose))
        });
        Ok(Self { child, tail, listener })
    }

    /// Starts it on the launcher's terminal.
    pub(super) fn start_on_terminal(
        qemu: &Path,
        invocation: &Invocation,
        verbose: bool,
    ) -> Result<Self, GuestError> {
        let child = spawn(&mut command_line(qemu, invocation, verbose))?;
        Ok(Self { child, tail: ConsoleTail::default(), listener: None })
    }

    /// Whether it has ended by itself.
    pub(super) fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Asks it to end, so that the plugin writes its account; kills it where it will not.
    pub(super) fn end(mut self) {
        // A process that was not waited for keeps its number, so this cannot hit another one.
        let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
        let deadline = Instant::now() + QUIT_TIMEOUT;
        while self.ended().is_none() && Instant::now() < deadline {
            thread::sleep(LOOK_AGAIN);
        }
    }

    /// Ends it at once; gives its status and its own words.
    pub(super) fn kill(mut self) -> (Option<ExitStatus>, Vec<String>) {
        let status = self.stop();
        (status, self.tail.lines())
    }

    fn stop(&mut self) -> Option<ExitStatus> {
        // It fails where the emulator has ended, which is as well.
        let _ = self.child.kill();
        let status = self.child.wait().ok();
        if let Some(listener) = self.listener.take() {
            let _ = listener.join();
        }
        status
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        self.stop();
    }
}

/// A session of its own: Ctrl-C is for the launcher, which ends it in order.
pub(super) fn in_own_session(program: &Command, claims_first: bool) -> Command {
    let mut command = Command::new("setsid");
    if claims_first {
        command.args(["sh", "-c", FIRST_CLAIM, "sh"]);
    }
    command.arg(program.get_program()).args(program.get_args());
    command
}

/// `setpriv` asks the kernel to kill a program when the thread that started it dies.
pub(super) fn bound_to_launcher(program: &Path, arguments: &[OsString]) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "--"]).arg(program).args(arguments);
    command
}

fn command_line(qemu: &Path, invocation: &Invocation, verbose: bool) -> Command {
    let command = bound_to_launcher(qemu, &invocation.arguments);
    if verbose {
        let words =
            std::iter::once(qemu.as_os_str()).chain(invocation.arguments.iter().map(AsRef::as_ref));
        output::aside(&format!(
            "nearfar-lab: {}",
            String::from_utf8_lossy(&image::quoted_words(words))
        ));
    }
    command
}

fn spawn(command: &mut Command) -> Result<Child, GuestError> {
    command.spawn().map_err(|source| {
        let missing = source.kind() == io::ErrorKind::NotFound;
        let hint = if missing { ": install util-linux" } else { "" };
        GuestError::Start { hint, source }
    })
}
