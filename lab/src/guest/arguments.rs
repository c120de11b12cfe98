//! How the emulator is called: the machine's own arguments, and what the launcher adds to boot it and to talk with it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::Path;

use super::GuestError;
use super::port::{self, Inherited};
use super::scratch::Scratch;
use crate::emulator;
use crate::kit::Parts;
use crate::machine::Machine;

/// A call of the emulator, and the pipes that it inherits.
#[derive(Debug)]
pub(super) struct Invocation {
    pub(super) arguments: Vec<OsString>,
    inherited: Vec<Inherited>,
}

/// The host's ends of all that a guest says.
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

/// Threads of the host that emulate the guest's CPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Threads {
    /// One for all CPUs. A Linux that patches its own code as it starts is safe only here: QEMU 7.2
    /// has a race between CPUs (an `int3` that one of them executes too late), and one guest of 20
    /// dies of it.
    One,
    /// One for each CPU. A CPU that waits for memory does not stop the others.
    EachCpu,
}

impl Threads {
    fn accelerator(self) -> &'static str {
        match self {
            Self::One => "tcg,thread=single",
            Self::EachCpu => "tcg,thread=multi",
        }
    }
}

impl Invocation {
    /// Boots the machine with the image in `scratch`.
    pub(super) fn new(
        machine: &Machine,
        parts: &Parts,
        scratch: &Scratch,
        threads: Threads,
    ) -> Result<Self, GuestError> {
        let arguments = emulator::arguments(machine, &parts.qemu.path, parts.qemu.version, scratch.folder())?;
        let mut invocation = Self { arguments, inherited: Vec::new() };
        // Not KVM: it hangs on some machines that have /dev/kvm, and plugins see nothing of it.
        invocation.add(["-accel", threads.accelerator()]);
        invocation.add(["-nodefaults", "-no-reboot", "-display", "none", "-monitor", "none"]);
        invocation.add([OsStr::new("-kernel"), parts.kernel.as_os_str()]);
        invocation.add([OsStr::new("-initrd"), scratch.image().as_os_str()]);
        invocation.add(["-append", &kernel_arguments(machine)]);
        Ok(invocation)
    }

    /// Has the plugin charge for accesses.
    pub(super) fn charge(&mut self, plugin: &Path, scratch: &Scratch) {
        let mut option = escaped(plugin);
        for (key, path) in [(",config=", scratch.charges()), (",ledger=", scratch.ledger())] {
            option.push(key);
            option.push(escaped(&path));
        }
        self.add([OsStr::new("-plugin"), &option]);
    }

    /// Connects what the guest says with pipes.
    pub(super) fn ports(&mut self) -> Result<Ports, GuestError> {
        self.add(["-device", "virtio-serial-pci,id=lab,bus=pcie.0"]);
        Ok(Ports {
            stdout: self.port("stdout")?,
            stderr: self.port("stderr")?,
            out: self.port("out")?,
            status: self.port("status")?,
            console: self.console()?,
        })
    }

    /// Puts the console on the terminal. Keys go to the guest, Ctrl-C too; Ctrl-A X ends the emulator.
    pub(super) fn terminal(&mut self) {
        self.add(["-chardev", "stdio,id=console,signal=off,mux=on", "-serial", "chardev:console"]);
    }

    fn port(&mut self, name: &str) -> Result<File, GuestError> {
        let file = self.pipe(name)?;
        self.add(["-device", &format!("virtserialport,bus=lab.0,chardev={name},name={name}")]);
        Ok(file)
    }

    fn console(&mut self) -> Result<File, GuestError> {
        let file = self.pipe("console")?;
        self.add(["-serial", "chardev:console"]);
        Ok(file)
    }

    /// QEMU calls an inherited file "fdset" and opens it by a path of its own making; it would truncate what is not appended to,
    /// and a pipe cannot be truncated.
    fn pipe(&mut self, name: &str) -> Result<File, GuestError> {
        let (file, inherited) = port::pipe().map_err(|source| GuestError::Pipe { source })?;
        let set = self.inherited.len();
        self.add(["-add-fd", &format!("fd={},set={set}", inherited.number())]);
        self.add(["-chardev", &format!("file,id={name},path=/dev/fdset/{set},append=on")]);
        self.inherited.push(inherited);
        Ok(file)
    }

    fn add<'a, T: AsRef<OsStr> + ?Sized + 'a>(&mut self, arguments: impl IntoIterator<Item = &'a T>) {
        self.arguments.extend(arguments.into_iter().map(|argument| argument.as_ref().to_owned()));
    }
}

/// QEMU divides an option at commas; a comma that is doubled is meant.
fn escaped(path: &Path) -> OsString {
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    let bytes = path.as_os_str().as_bytes().split(|&byte| byte == b',').collect::<Vec<_>>();
    OsString::from_vec(bytes.join(b",,".as_slice()))
}

fn kernel_arguments(machine: &Machine) -> String {
    let console = machine.arch().console();
    // A panic ends the guest at once.
    format!("console={console} quiet panic=-1 {}", emulator::kernel_arguments(machine)).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comma_in_a_path_stays_in_the_path() {
        assert_eq!(escaped(Path::new("/a,b/c")), OsString::from("/a,,b/c"));
        assert_eq!(escaped(Path::new("/plain")), OsString::from("/plain"));
    }
}
