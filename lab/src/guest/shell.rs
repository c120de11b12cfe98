//! A shell on the guest's console, for looking around.

use std::io::{IsTerminal, stderr, stdin, stdout};
use std::thread;
use std::time::Duration;

use nearfar_terminal::Interrupt;
use nearfar_terminal::output;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};

use super::arguments::Invocation;
use super::lock::Lock;
use super::process::Emulator;
use super::scratch::Scratch;
use super::{GuestError, Setup, write_charges};
use crate::image::{self, Task};
use crate::kit::Kit;
use crate::machine::Machine;

const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// Boots a guest with a shell on this terminal; returns when it is powered off.
///
/// # Errors
///
/// [`GuestError`]; without a terminal [`GuestError::NoTerminal`].
pub(crate) fn shell(kit: &Kit, machine: &Machine, setup: &Setup, interrupt: &Interrupt) -> Result<(), GuestError> {
    if !stdin().is_terminal() || !stdout().is_terminal() {
        return Err(GuestError::NoTerminal);
    }
    let parts = kit.parts(machine.arch())?;
    let plugin = setup.charged.then(|| kit.plugin()).transpose()?;
    let _lock = if setup.beside_others { None } else { Some(Lock::take(interrupt)?) };
    let scratch = Scratch::new()?;
    let task = Task { machine: machine.name(), end: "", command: None, with: &setup.with };
    image::write(&scratch.image(), machine.arch(), &parts.programs, &task)?;
    let mut invocation = Invocation::new(machine, &parts, &scratch, setup.threads())?;
    if let Some(plugin) = &plugin {
        write_charges(machine, &parts, setup.seed, &scratch)?;
        invocation.charge(plugin, &scratch);
    }
    invocation.terminal();

    let _terminal = Terminal::remember()?;
    output::aside("nearfar-lab: booting; 'exit' leaves, and Ctrl-A X where the guest hangs");
    let mut emulator = Emulator::start_on_terminal(&parts.qemu.path, &invocation, setup.verbose)?;
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
struct Terminal(Termios);

impl Terminal {
    fn remember() -> Result<Self, GuestError> {
        tcgetattr(stdin()).map(Self).map_err(|error| GuestError::Terminal(error.into()))
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if tcsetattr(stdin(), OptionalActions::Drain, &self.0).is_err() {
            let _ =
                std::io::Write::write_all(&mut stderr(), b"nearfar-lab: the terminal's mode is lost: try 'reset'\n");
        }
    }
}
