//! `nearfar-lab shell MACHINE`: looking around in a guest.

use clap::Args;
use nearfar_view::terminal::Interrupt;

use super::machine_choice::MachineChoice;
use crate::guest::{self, Setup};
use crate::kit::Kit;

/// Boot a machine and open a shell in it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar-lab shell epyc-7451-2p
  nearfar-lab shell epyc-7451-2p --no-plugin     faster, and memory costs what it happens to

'exit' powers the guest off. Where it hangs: Ctrl-A, then X.")]
pub(crate) struct Shell {
    #[command(flatten)]
    machine: MachineChoice,
    #[command(flatten)]
    setup: Setup,
}

impl Shell {
    /// Returns when the guest is powered off.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let machine = self.machine.load()?;
        let kit = Kit::find()?;
        Ok(guest::shell(&kit, &machine, &self.setup, &Interrupt::listen()?)?)
    }
}
