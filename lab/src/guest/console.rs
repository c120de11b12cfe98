//! The last lines of a console: where a kernel logs why it died.

use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};

use anstream::adapter::strip_str;

const BYTES: usize = 16 * 1024;

/// The end of a console's output, while it is written.
#[derive(Clone, Debug, Default)]
pub(super) struct ConsoleTail(Arc<Mutex<Vec<u8>>>);

impl ConsoleTail {
    /// Reads a console to its end, keeps the last of it, and shows it on stderr where that is
    /// wanted.
    pub(super) fn follow(&self, mut console: impl Read, show: bool) {
        let mut buffer = [0; 4096];
        loop {
            let count = match console.read(&mut buffer) {
                Ok(0) => return,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => return,
            };
            self.add(&buffer[..count]);
            if show {
                // Where stderr cannot be written, nothing can be reported.
                let _ = io::stderr().write_all(&buffer[..count]);
            }
        }
    }

    fn add(&self, bytes: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(bytes);
        let too_many = kept.len().saturating_sub(BYTES);
        kept.drain(..too_many);
    }

    /// Its lines; the first may be cut; blank ones and the firmware's commands to the
    /// terminal left out.
    pub(super) fn lines(&self) -> Vec<String> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&kept);
        let plain =
            text.split(['\n', '\r']).map(|line| strip_str(line).to_string().trim_end().to_owned());
        plain.filter(|line| !line.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_kept_without_the_terminals_commands() {
        let tail = ConsoleTail::default();
        let many: String =
            (1..=40).map(|line| format!("\u{1b}[2J\u{1b}cline {line}\r\n\r\n")).collect();
        tail.follow(many.as_bytes(), false);
        let lines = tail.lines();
        assert_eq!(lines.len(), 40);
        assert_eq!(lines[39], "line 40");
    }

    #[test]
    fn an_endless_console_takes_little_memory() {
        let tail = ConsoleTail::default();
        tail.follow(vec![b'x'; 1 << 20].as_slice(), false);
        assert_eq!(tail.0.lock().unwrap().len(), BYTES);
    }
}
