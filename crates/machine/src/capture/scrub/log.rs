//! The kernel's log: only the messages that rules read.

use nearfar_firmware::linux::KernelLog;
use nearfar_firmware::linux::log::kept_line;

use super::Removed;
use super::words::{Grammar, Words};

/// The log with an empty line for each that is left out: the others keep their numbers.
pub(super) fn scrub(log: &[u8], words: &Words, removed: &mut Removed) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut others = 0;
    for line in log.split_inclusive(|&byte| byte == b'\n') {
        match kept_line(line, |text| words.text(text, Grammar::Numbers, &mut 0)) {
            Some(text) => kept.extend(text.into_bytes()),
            None => others += usize::from(!line.trim_ascii().is_empty()),
        }
        kept.push(b'\n');
    }
    // Messages of the last boot that no longer have the shape of their rule.
    let lost = read(log).saturating_sub(read(&kept));
    removed.count("other lines", others - lost.min(others));
    removed.count("messages of another shape", lost);
    removed.messages += lost;
    kept
}

/// Number of messages that rules read.
fn read(log: &[u8]) -> usize {
    KernelLog::parse(log).events.iter().filter(|event| event.kind.is_read()).count()
}
