//! How the emulator is called: the machine's own arguments, and what the launcher adds to boot it
//! and to talk with it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;

use super::port;
use super::scratch::Scratch;
use super::{GuestError, Setup};
use crate::emulator;
use crate::kit::GuestParts;
use crate::machine::LabMachine;

/// A call of the emulator, and the pipes that it inherits.
#[derive(Debug)]
pub(super) struct Invocation {
    pub(super) arguments: Vec<OsString>,
    inherited: Vec<OwnedFd>,
}

/// The host's ends of a guest's streams.
#[derive(Debug)]
pub(super) struct Ports {
    pub(super) stdout: File,
    pub(super) stderr: File,
    /// An archive of /out.
    pub(super) out: File,
    /// How the command fares, line by line.
    pub(super) status: File,
    pub(super) console: File,
}

impl Invocation {
    /// Boots the machine with the image in `scratch`.
    pub(super) fn new(
        machine: &LabMachine,
        parts: &GuestParts,
        scratch: &Scratch,
        setup: &Setup,
    ) -> Result<Self, GuestError> {
        let arguments =
            emulator::arguments(machine, &parts.qemu.path, parts.qemu.version, scratch.folder())?;
        let mut invocation = Self { arguments, inherited: Vec::new() };
        // Not KVM: it hangs on some machines that have /dev/kvm, and plugins see nothing of it.
        invocation.add(["-accel", setup.accelerator()]);
        invocation.add(["-nodefaults", "-no-reboot", "-display", "none", "-monitor", "none"]);
        invocation.add([OsStr::new("-kernel"), parts.kernel.as_os_str()]);
        invocation.add([OsStr::new("-initrd"), scratch.image().as_os_str()]);
        invocation.add(["-append", &kernel_arguments(machine)]);
        Ok(invocation)
    }

    /// Has the plugin charge for accesses.
    pub(super) fn charge(&mut self, plugin: &Path, scratch: &Scratch) {
        let mut option = emulator::in_a_value(plugin);
        for (key, path) in [(",config=", scratch.charges()), (",ledger=", scratch.ledger())] {
            option.push(key);
            option.push(emulator::in_a_value(&path));
        }
        self.add([OsStr::new("-plugin"), &option]);
    }

    /// Connects the guest's streams with pipes.
    pub(super) fn ports(&mut self) -> Result<Ports, GuestError> {
        self.add(["-device", "virtio-serial-pci,id=lab,bus=pcie.0"]);
        let [stdout, stderr] = [self.port("stdout")?, self.port("stderr")?];
        let [out, status] = [self.port("out")?, self.port("status")?];
        let console = self.pipe("console")?;
        self.add(["-serial", "chardev:console"]);
        Ok(Ports { stdout, stderr, out, status, console })
    }

    /// Puts the console on the terminal. Keys go to the guest, Ctrl-C too; Ctrl-A X ends the
    /// emulator.
    pub(super) fn terminal(&mut self) {
        self.add(["-chardev", "stdio,id=console,signal=off,mux=on", "-serial", "chardev:console"]);
    }

    fn port(&mut self, name: &str) -> Result<File, GuestError> {
        let file = self.pipe(name)?;
        self.add(["-device", &format!("virtserialport,bus=lab.0,chardev={name},name={name}")]);
        Ok(file)
    }

    /// QEMU calls an inherited file "fdset" and opens it by a path of its own making; it would
    /// truncate what is not appended to, and a pipe cannot be truncated.
    fn pipe(&mut self, name: &str) -> Result<File, GuestError> {
        let (file, inherited) = port::pipe().map_err(|source| GuestError::Pipe { source })?;
        let set = self.inherited.len();
        self.add(["-add-fd", &format!("fd={},set={set}", inherited.as_raw_fd())]);
        self.add(["-chardev", &format!("file,id={name},path=/dev/fdset/{set},append=on")]);
        self.inherited.push(inherited);
        Ok(file)
    }

    fn add<'a, T: AsRef<OsStr> + ?Sized + 'a>(
        &mut self,
        arguments: impl IntoIterator<Item = &'a T>,
    ) {
        self.arguments.extend(arguments.into_iter().map(|argument| argument.as_ref().to_owned()));
    }
}

fn kernel_arguments(machine: &LabMachine) -> String {
    let console = machine.arch().console();
    // A panic ends the guest at once.
    format!("console={console} quiet panic=-1 {}", emulator::kernel_arguments(machine))
        .trim_end()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comma_in_a_path_stays_in_the_path() {
        assert_eq!(emulator::in_a_value(Path::new("/a,b/c")), OsString::from("/a,,b/c"));
        assert_eq!(emulator::in_a_value(Path::new("/plain")), OsString::from("/plain"));
    }
}
