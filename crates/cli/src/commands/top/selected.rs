//! What is done with the selected process: it is shown, or ended.

use std::os::fd::OwnedFd;

use nearfar_machine::{Process, Source};
use nearfar_process::text::where_is::{self, WhereText};
use nearfar_process::{ProcessDevices, ProcessMemory};
use nearfar_view::terminal::width;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// What `nearfar where` prints of it, or why that cannot be read.
pub(super) fn text(source: &Source, pid: u32, columns: usize) -> String {
    let memory = match ProcessMemory::read(source, pid) {
        Ok(memory) => memory,
        Err(error) => return format!("{error}\n"),
    };
    let devices = ProcessDevices::read(source, &memory);
    let shown = WhereText { mappings: false, threads: true };
    let screen = width::with(columns, || where_is::each(&[(memory, devices)], &[], shown));
    anstream::adapter::strip_str(&screen.text()).to_string()
}

/// A process that is to be ended: the one that was asked about, whatever its number is later.
#[derive(Debug)]
pub(super) struct Ending {
    process: OwnedFd,
    name: String,
}

impl Ending {
    /// The process of this number and name, or why it cannot be ended.
    pub(super) fn new(source: &Source, pid: u32, name: &str) -> Result<Self, String> {
        let named = format!("{name} (process {pid})");
        let number = i32::try_from(pid).ok().and_then(Pid::from_raw);
        let number = number.ok_or_else(|| format!("{named}: no such process"))?;
        let process = pidfd_open(number, PidfdFlags::empty()).map_err(|error| match error {
            Errno::SRCH => format!("{named} has ended"),
            Errno::NOSYS => format!("{named}: this needs Linux 5.3; use kill {pid}"),
            error => format!("{named}: {error}"),
        })?;
        match Process::known(source, pid).name() {
            Some(now) if now == name => Ok(Self { process, name: named }),
            _ => Err(format!("{named} has ended")),
        }
    }

    pub(super) fn question(&self) -> String {
        format!("End {} (SIGTERM)? y ends it, any other key does not", self.name)
    }

    /// Sends the signal; what came of it.
    pub(super) fn end(&self) -> String {
        match pidfd_send_signal(&self.process, Signal::TERM) {
            Ok(()) => format!("sent SIGTERM to {}", self.name),
            Err(Errno::SRCH) => format!("{} has ended", self.name),
            Err(Errno::PERM) => format!("{} belongs to another user: only root ends it", self.name),
            Err(error) => format!("{}: {error}", self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::Command;

    use super::*;

    #[test]
    fn the_process_that_was_asked_about_is_ended() {
        let source = Source::live();
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let name = |pid| Process::known(&source, pid).name();
        while name(child.id()).as_deref() != Some("sleep") {
            std::thread::yield_now();
        }
        assert!(Ending::new(&source, child.id(), "another").unwrap_err().ends_with("has ended"));
        let ending = Ending::new(&source, child.id(), "sleep").unwrap();
        assert!(ending.question().contains("End sleep (process "), "{}", ending.question());
        assert!(ending.end().starts_with("sent SIGTERM to sleep"));
        assert_eq!(child.wait().unwrap().signal(), Some(15));
        assert!(ending.end().ends_with("has ended"), "{}", ending.end());
    }
}
