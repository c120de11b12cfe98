//! How a guest is set up: options of all commands that boot one.

use std::path::PathBuf;

use clap::Args;

use crate::image::GuestTask;
use crate::machine::LabMachine;

/// A year: clocks cannot represent every later time.
pub(crate) const MAX_TIMEOUT_S: u64 = 365 * 24 * 3600;
/// Bytes that Linux keeps (`__NEW_UTS_LEN`).
const MAX_HOSTNAME: usize = 64;

/// How a guest is set up.
#[derive(Debug, Args)]
pub(crate) struct Setup {
    /// Take this program along, under /bin; as often as there are programs. It has to be linked
    /// statically, or be a script. A folder is laid over the guest's file system: a program with
    /// the libraries that it needs, each at its place.
    #[arg(long, value_name = "FILE")]
    pub(crate) with: Vec<PathBuf>,
    /// Load this kernel module of the kit, as lsmod spells it, beside those of the machine's
    /// devices; as often as there are modules.
    #[arg(long, value_name = "NAME")]
    pub(crate) module: Vec<String>,
    /// Boot the kernel of this folder (vmlinuz, modules/) instead of the kit's.
    #[arg(long, value_name = "DIR")]
    pub(crate) kernel: Option<PathBuf>,
    /// The guest's host name, instead of the machine's name.
    #[arg(long, value_name = "NAME", value_parser = parse_hostname)]
    pub(crate) hostname: Option<String>,
    /// Draw noise from this seed instead of the description's; 'check' surveys by it, too.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Charge nothing: memory costs what the emulator takes for it. Faster, and no machine in
    /// particular.
    #[arg(long, conflicts_with = "seed")]
    pub(crate) no_plugin: bool,
    /// Do not wait for another lab on this host. Two disturb each other's timing.
    #[arg(long)]
    pub(crate) no_wait: bool,
    /// Show QEMU's command line and the guest's console on stderr.
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

impl Setup {
    /// What a guest of this machine is to do.
    pub(super) fn task<'a>(
        &'a self,
        machine: &'a LabMachine,
        end: &'a str,
        command: Option<Vec<u8>>,
    ) -> GuestTask<'a> {
        GuestTask {
            machine,
            hostname: self.hostname.as_deref().unwrap_or(&machine.name),
            end,
            command,
            with: &self.with,
            modules: &self.module,
        }
    }

    /// How QEMU emulates CPUs: in a thread of the host for each, so that one that waits for memory
    /// does not stop the others. A guest that is not timed and runs beside others gets one thread
    /// for all, which also leaves them the other CPUs of the host.
    ///
    /// A Linux that patches its own code as it starts is safe only with one: QEMU 7.2 has a race
    /// between CPUs (an `int3` that one of them executes too late), and one guest of 20 dies of it.
    pub(super) fn accelerator(&self) -> &'static str {
        if self.no_plugin && self.no_wait { "tcg,thread=single" } else { "tcg,thread=multi" }
    }
}

/// A name as hostname(7) has it.
fn parse_hostname(name: &str) -> Result<String, String> {
    let is_valid = (1..=MAX_HOSTNAME).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.')
        && !name.starts_with(['-', '.']);
    match is_valid {
        true => Ok(name.to_owned()),
        false => Err(format!(
            "a host name has 1 to {MAX_HOSTNAME} letters, digits, hyphens and dots, and \
             begins with a letter or digit"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_linux_has_no_use_for_are_refused() {
        for name in ["n1", "node-07.cluster.example", "a", &"x".repeat(64)] {
            assert_eq!(parse_hostname(name).as_deref(), Ok(name));
        }
        for name in ["", "-n1", ".n1", "n 1", "n1;reboot", "n\u{e9}", &"x".repeat(65)] {
            assert!(parse_hostname(name).is_err(), "{name}");
        }
    }
}
