//! A shell on the guest's console, for looking around.

use std::io::{IsTerminal, stderr, stdin, stdout};
use std::thread;
use std::time::Duration;

use nearfar_view::terminal::Interrupt;
use nearfar_view::terminal::output;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};

use super::process::Emulator;
use super::{GuestError, Prepared, Setup};
use crate::kit::Kit;
use crate::machine::LabMachine;

const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// Boots a guest with a shell on this terminal; returns when it is powered off.
///
/// # Errors
///
/// [`GuestError`]; without a terminal [`GuestError::NoTerminal`].
pub(crate) fn shell(
    kit: &Kit,
    machine: &LabMachine,
    setup: &Setup,
    interrupt: &Interrupt,
) -> Result<(), GuestError> {
    if !stdin().is_terminal() || !stdout().is_terminal() {
        return Err(GuestError::NoTerminal);
    }
    let task = setup.task(machine, "", None);
    let mut prepared = Prepared::new(kit, machine, setup, &task, interrupt)?;
    prepared.invocation.terminal();

    let _terminal = TerminalMode::remember()?;
    output::aside("nearfar-lab: booting; 'exit' leaves, and Ctrl-A X where the guest hangs");
    let mut emulator =
        Emulator::start_on_terminal(&prepared.qemu, &prepared.invocation, setup.verbose)?;
    loop {
        match emulator.ended() {
            Some(status) if status.success() => return Ok(()),
            Some(_) => return Err(GuestError::Refused { words: Vec::new() }),
            None if interrupt.came() => return Err(GuestError::Interrupted),
            None => thread::sleep(LOOK_AGAIN),
        }
    }
}

/// The terminal's mode, given back when dropped: QEMU makes it raw, and may be killed.
struct TerminalMode(Termios);

impl TerminalMode {
    fn remember() -> Result<Self, GuestError> {
        tcgetattr(stdin()).map(Self).map_err(|error| GuestError::Terminal(error.into()))
    }
}

impl Drop for TerminalMode {
    fn drop(&mut self) {
        if tcsetattr(stdin(), OptionalActions::Drain, &self.0).is_err() {
            let _ = std::io::Write::write_all(
                &mut stderr(),
                b"nearfar-lab: the terminal's mode is lost: try 'reset'\n",
            );
        }
    }
}
