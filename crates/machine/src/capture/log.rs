//! The kernel's log as text, for a file.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;

use crate::kernel::KernelLog;
use crate::source::Source;

/// The kernel's own buffer, one record a read.
const BUFFER: &str = "/dev/kmsg";
/// `O_NONBLOCK` of every architecture but MIPS, Alpha, SPARC and PA-RISC: reading stops where the buffer ends.
const WITHOUT_WAITING: i32 = 0o4000;
/// The longest record, and the most text that is kept: boots take some 100 KiB.
const LONGEST_RECORD: usize = 8 << 10;
const MOST_TEXT: usize = 8 << 20;

/// What the kernel said, from where its words were found: its buffer, or a file of a distribution. Else why it is not there.
pub(super) fn text(source: &Source, found: &KernelLog) -> Result<Vec<u8>, Vec<String>> {
    match found.origin.as_deref() {
        Some(BUFFER) => read().map_err(|error| vec![format!("{BUFFER}: unreadable: {error}")]),
        Some(path) => source.read(path).ok_or_else(|| vec![format!("{path}: unreadable, or too large")]),
        None => Err(found.missing.clone()),
    }
}

fn read() -> io::Result<Vec<u8>> {
    let mut file = OpenOptions::new().read(true).custom_flags(WITHOUT_WAITING).open(BUFFER)?;
    let mut record = vec![0; LONGEST_RECORD];
    let mut text = Vec::new();
    while text.len() < MOST_TEXT {
        match file.read(&mut record) {
            Ok(0) => break,
            Ok(length) => text.extend(line(&String::from_utf8_lossy(&record[..length])).into_bytes()),
            Err(error) if error.kind() == ErrorKind::WouldBlock => break,
            // Records that were overwritten meanwhile.
            Err(error) if matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::Interrupted) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(text)
}

/// "6,339,5140900,-;words" as `dmesg` shows it: "[    5.140900] words". Records of other programs are none of the kernel's.
fn line(record: &str) -> String {
    let first = record.lines().next().unwrap_or_default();
    let Some((head, words)) = first.split_once(';') else { return String::new() };
    let mut fields = head.split(',').map(|field| field.parse::<u64>().ok());
    let (Some(Some(priority)), _, Some(Some(microseconds))) = (fields.next(), fields.next(), fields.next()) else {
        return String::new();
    };
    // The lowest three bits are the level, those above the sender: 0 is the kernel.
    if priority >> 3 != 0 {
        return String::new();
    }
    format!("[{:5}.{:06}] {words}\n", microseconds / 1_000_000, microseconds % 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_become_lines_as_dmesg_shows_them() {
        assert_eq!(line("6,339,5140900,-;NET: ok\n SUBSYSTEM=x\n"), "[    5.140900] NET: ok\n");
        assert_eq!(line("30,12,1,-;systemd[1]: Hostname set to <secret>.\n"), "");
        assert_eq!((line("nonsense"), line(";")), (String::new(), String::new()));
    }
}
