//! Finds and reads a machine's kernel log.

pub(crate) mod buffer;

use std::io::{self, ErrorKind};
use std::path::Path;

use nearfar_firmware::linux::KernelLog;
use nearfar_firmware::linux::log::{self, LogBuilder, LogGap, binary_format};
pub use nearfar_firmware::linux::log::{NodeBinding, NodeKill};
use nearfar_model::Bytes;

use crate::source::{FileContents, Source};
use buffer::BUFFER;

/// Of a larger file only the beginning is read.
const MAX_LOG_SIZE: Bytes = Bytes::gib(4);

/// Paths of copies, the best first. The journal's own files are not text.
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

/// Reads a machine's log: the first with a boot message, else the first with any event. Never
/// fails: what could not be read is in [`KernelLog::missing`].
///
/// # References
///
/// Documentation/ABI/testing/dev-kmsg; dmesg(1)
pub fn read(source: &Source) -> KernelLog {
    if let Some(log) = source.parsed_log() {
        return log.clone();
    }
    let mut missing = Vec::new();
    let mut best: Option<KernelLog> = None;
    for path in std::iter::once(BUFFER).chain(COPIES) {
        let Some(log) = from_path(source, path, &mut missing) else { continue };
        let found = log.has_boot();
        if found || best.as_ref().is_none_or(|best| best.events.is_empty()) {
            best = Some(KernelLog { origin: Some(path.to_owned()), ..log });
        }
        if found {
            break;
        }
    }
    let mut log = best.unwrap_or_default();
    missing.append(&mut log.missing);
    if log.origin.is_none() && missing.is_empty() {
        missing.push(if source.is_sent() { LogGap::NotSent } else { LogGap::NoLog });
    }
    KernelLog { missing, ..log }
}

/// Programs that the kernel killed since the nodes that they may use were full, in the order of
/// time. Of a live machine, those that the kernel's buffer still has; none where it is not
/// readable.
pub fn node_kills(source: &Source) -> Vec<NodeKill> {
    let log = match source.is_live() {
        true => from_buffer().unwrap_or_default(),
        false => read(source),
    };
    log::node_kills(&log)
}

/// Reads a log file that the user named.
///
/// # Errors
///
/// If the file is not readable, or is no log (`InvalidData` with a description).
pub fn open(path: &Path) -> io::Result<KernelLog> {
    let mut log = KernelLog::read_named(nearfar_view::input::open(path, MAX_LOG_SIZE)?)?;
    if log.lines == 0 {
        log.missing.push(LogGap::Empty { path: path.display().to_string() });
    }
    Ok(KernelLog { origin: Some(path.display().to_string()), ..log })
}

fn from_path(source: &Source, path: &str, missing: &mut Vec<LogGap>) -> Option<KernelLog> {
    let read = if source.is_live() { from_live(path) } else { from_captured(source, path) };
    read.unwrap_or_else(|gap| {
        missing.push(gap);
        None
    })
}

fn from_captured(source: &Source, path: &str) -> Result<Option<KernelLog>, LogGap> {
    match source.contents(path) {
        FileContents::Bytes(text) => match binary_format(&text) {
            None => Ok(Some(KernelLog::parse(&text))),
            Some(format) => Err(LogGap::NotText { path: path.to_owned(), format }),
        },
        FileContents::Absent => Ok(None),
        FileContents::Denied => Err(unreadable(path, "permission denied")),
    }
}

fn from_live(path: &str) -> Result<Option<KernelLog>, LogGap> {
    let read = if path == BUFFER {
        from_buffer()
    } else {
        nearfar_view::input::open_entry(Path::new(path), MAX_LOG_SIZE)
            .and_then(KernelLog::read_from)
    };
    match read {
        Ok(log) => Ok(Some(log)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            Err(unreadable(path, "not root"))
        }
        Err(error) => Err(unreadable(path, &error.to_string())),
    }
}

fn unreadable(path: &str, why: &str) -> LogGap {
    LogGap::Unreadable { path: path.to_owned(), why: why.to_owned() }
}

fn from_buffer() -> io::Result<KernelLog> {
    let mut log = LogBuilder::default();
    buffer::each_message(|message| log.add_line(message))?;
    Ok(log.build())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_with_a_boot_is_preferred() {
        let source = Source::from_files([
            ("/var/log/kern.log", "Jan 31 10:00:00 h kernel: No NUMA configuration found\n"),
            (
                "/dmesg.txt",
                "[    0.000000] Linux version 6.1.0-28-amd64 (x)\n[    0.1] NUMA turned off\n",
            ),
        ]);
        let log = read(&source);
        assert_eq!(
            (log.origin.as_deref(), log.release()),
            (Some("/dmesg.txt"), Some("6.1.0-28-amd64"))
        );
        assert!(log.missing.is_empty(), "{:?}", log.missing);
    }

    #[test]
    fn missing_log_is_listed() {
        let log = read(&Source::from_files([("/x", "")]));
        assert_eq!((log.origin, log.events.len(), log.missing.len()), (None, 0, 1));
    }

    #[test]
    fn live_buffer_is_read_without_blocking() {
        let log = read(&Source::live());
        assert!(log.origin.is_some() || !log.missing.is_empty());
    }

    #[test]
    fn a_file_is_opened_by_its_path() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        std::fs::write(&path, "No NUMA configuration found\n").unwrap();
        let log = open(&path).unwrap();
        assert_eq!((log.events.len(), log.origin.is_some()), (1, true));
        assert!(open(&folder.path().join("none")).is_err());
    }
}
