//! The kernel's log as text.

use std::io;

use nearfar_firmware::linux::KernelLog;

use crate::kernel_log::buffer::{self, BUFFER};
use crate::source::Source;

/// Maximum size of the text; a boot takes about 100 KiB.
const MAX_TEXT_BYTES: usize = 8 << 20;

/// The kernel's messages, from its buffer or a distribution's file. Otherwise the reasons why they
/// are missing.
pub(super) fn text(source: &Source, found: &KernelLog) -> Result<Vec<u8>, Vec<String>> {
    match found.origin.as_deref() {
        Some(BUFFER) => read().map_err(|error| vec![format!("{BUFFER}: unreadable: {error}")]),
        Some(path) => {
            source.read(path).ok_or_else(|| vec![format!("{path}: unreadable, or too large")])
        }
        None => Err(found.missing.iter().map(ToString::to_string).collect()),
    }
}

fn read() -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    buffer::each_message(|message| {
        if text.len() < MAX_TEXT_BYTES {
            text.extend(line(&String::from_utf8_lossy(message)).into_bytes());
        }
    })?;
    Ok(text)
}

/// Formats "6,339,5140900,-;words" as `dmesg` does: "[    5.140900] words". Records of other
/// programs are dropped.
fn line(message: &str) -> String {
    let Some((head, words)) = message.split_once(';') else { return String::new() };
    let mut fields = head.split(',').map(|field| field.parse::<u64>().ok());
    let (Some(Some(priority)), _, Some(Some(microseconds))) =
        (fields.next(), fields.next(), fields.next())
    else {
        return String::new();
    };
    // The lowest three bits are the level, the others the facility: 0 is the kernel.
    if priority >> 3 != 0 {
        return String::new();
    }
    format!("[{:5}.{:06}] {words}\n", microseconds / 1_000_000, microseconds % 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_formatted_as_dmesg_does() {
        assert_eq!(line("6,339,5140900,-;NET: ok"), "[    5.140900] NET: ok\n");
        assert_eq!(line("30,12,1,-;systemd[1]: Hostname set to <secret>.\n"), "");
        assert_eq!((line("nonsense"), line(";")), (String::new(), String::new()));
    }
}
