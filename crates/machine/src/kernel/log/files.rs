//! Where a machine keeps its kernel's log.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use super::buffer::{self, BUFFER};
use super::{KernelLog, Taking, kind};
use crate::source::{Contents, Source};

/// Where distributions and people put copies, the best first. The journal's own files are not text.
const COPIES: [&str; 8] = [
    "/var/log/dmesg",
    "/var/log/kern.log",
    "/var/log/messages",
    "/var/log/syslog",
    "/dmesg",
    "/dmesg.txt",
    "/var/log/dmesg.0",
    "/var/log/kern.log.1",
];

impl KernelLog {
    /// Finds and reads a machine's log: the first that tells of a boot, else the first that tells anything.
    /// Nothing here is needed, so nothing here fails; what could not be read is in [`missing`](Self::missing).
    pub fn read(source: &Source) -> Self {
        let mut missing = Vec::new();
        let mut best: Option<Self> = None;
        for path in std::iter::once(BUFFER).chain(COPIES) {
            let Some(log) = from_path(source, path, &mut missing) else { continue };
            let found = log.has_boot();
            if found || best.as_ref().is_none_or(|best| best.events.is_empty()) {
                best = Some(Self { origin: Some(path.to_owned()), ..log });
            }
            if found {
                break;
            }
        }
        let mut log = best.unwrap_or_default();
        missing.append(&mut log.missing);
        if log.origin.is_none() && missing.is_empty() {
            missing.push("the kernel's log: there is none here".to_owned());
        }
        Self { missing, ..log }
    }

    /// Opens a file that somebody names.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let mut head = Vec::new();
        file.by_ref().take(kind::HEAD_BYTES as u64).read_to_end(&mut head)?;
        let refused = |what: &str| Err(io::Error::new(ErrorKind::InvalidData, what));
        if let Some(what) = kind::other_than_text(&head) {
            return refused(what);
        }
        let mut log = Self::read_from(head.as_slice().chain(file))?;
        if log.events.is_empty() && kind::is_binary(&head) {
            return refused("it is binary data, and no line of it is a kernel's");
        }
        if head.is_empty() {
            log.missing.push(format!("{}: empty", path.display()));
        }
        Ok(Self { origin: Some(path.display().to_string()), ..log })
    }
}

fn from_path(source: &Source, path: &str, missing: &mut Vec<String>) -> Option<KernelLog> {
    if !source.is_live() {
        return match source.contents(path) {
            Contents::Found(text) => match kind::other_than_text(&text[..text.len().min(kind::HEAD_BYTES)]) {
                None => Some(KernelLog::parse(&text)),
                Some(what) => {
                    missing.push(format!("{path}: {what}"));
                    None
                }
            },
            Contents::Absent => None,
            Contents::Denied => {
                missing.push(format!("{path}: unreadable: this user may not read it"));
                None
            }
        };
    }
    let read = if path == BUFFER { from_buffer() } else { File::open(path).and_then(KernelLog::read_from) };
    match read {
        Ok(log) => Some(log),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            missing.push(format!("{path}: unreadable: not root"));
            None
        }
        Err(error) => {
            missing.push(format!("{path}: unreadable: {error}"));
            None
        }
    }
}

fn from_buffer() -> io::Result<KernelLog> {
    let mut taking = Taking::default();
    buffer::each_message(|message| taking.take(message))?;
    Ok(taking.log)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_that_tells_of_a_boot_is_preferred() {
        let source = Source::from_files([
            ("/var/log/kern.log", "Jan 31 10:00:00 h kernel: No NUMA configuration found\n"),
            ("/dmesg.txt", "[    0.000000] Linux version 6.1.0-28-amd64 (x)\n[    0.1] NUMA turned off\n"),
        ]);
        let log = KernelLog::read(&source);
        assert_eq!((log.origin.as_deref(), log.release()), (Some("/dmesg.txt"), Some("6.1.0-28-amd64")));
        assert!(log.missing.is_empty(), "{:?}", log.missing);
    }

    #[test]
    fn without_a_log_something_says_so() {
        let log = KernelLog::read(&Source::from_files([("/x", "")]));
        assert_eq!((log.origin, log.events.len(), log.missing.len()), (None, 0, 1));
    }

    #[test]
    fn the_live_buffer_is_read_without_waiting() {
        let log = KernelLog::read(&Source::live());
        assert!(log.origin.is_some() || !log.missing.is_empty());
    }

    #[test]
    fn a_file_is_opened_by_its_path() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        std::fs::write(&path, "No NUMA configuration found\n").unwrap();
        let log = KernelLog::open(&path).unwrap();
        assert_eq!((log.events.len(), log.origin.is_some()), (1, true));
        assert!(KernelLog::open(&folder.path().join("none")).is_err());
    }
}
