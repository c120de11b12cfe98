//! Options of all commands that boot a guest.

use std::path::PathBuf;

use clap::Args;

use crate::guest::Setup;

/// A year: clocks cannot tell every number of seconds from now.
pub(crate) const LONGEST_TIMEOUT_S: u64 = 365 * 24 * 3600;

/// How a guest is set up.
#[derive(Debug, Args)]
pub(crate) struct SetupOptions {
    /// Take this program along, under /bin; as often as there are programs. It has to be linked statically, or be a script. A folder is
    /// laid over the guest's file system: a program with the libraries that it needs, each at its place.
    #[arg(long, value_name = "FILE")]
    with: Vec<PathBuf>,
    /// Draw noise from this seed, in place of the description's; 'check' surveys by it, too.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Charge nothing: memory costs what the emulator takes for it. Faster, and no machine in particular.
    #[arg(long, conflicts_with = "seed")]
    no_plugin: bool,
    /// Do not wait for another lab on this host. Two disturb each other's timing.
    #[arg(long)]
    no_wait: bool,
    /// Show QEMU's command line and the guest's console on stderr.
    #[arg(short, long)]
    verbose: bool,
}

impl SetupOptions {
    /// Whether more is to be said.
    pub(crate) fn verbose(&self) -> bool {
        self.verbose
    }

    /// Whether accesses are to cost what the description says.
    pub(crate) fn charged(&self) -> bool {
        !self.no_plugin
    }

    /// The seed that was asked for.
    pub(crate) fn seed(&self) -> Option<u64> {
        self.seed
    }

    /// The same in the guest's terms.
    pub(crate) fn setup(self) -> Setup {
        Setup {
            charged: self.charged(),
            with: self.with,
            seed: self.seed,
            beside_others: self.no_wait,
            verbose: self.verbose,
        }
    }
}
