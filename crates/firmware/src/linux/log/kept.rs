//! What a capture keeps of a log: the messages that rules read, in the shape that they parse.

use super::event::LogEventKind;
use super::line::{LogLine, visible};
use super::{MAX_LINE_BYTES, recognise};
use crate::linux::parameters::KernelParameters;

/// The patterns of the messages that are recognised: "%" stands for a value.
pub fn message_patterns() -> impl Iterator<Item = &'static str> {
    recognise::patterns()
}

/// A line without what no rule reads: host names, command line, other programs. `None` if no rule
/// reads the message. `known` keeps the known words of a text.
///
/// # References
///
/// docs/start/capture.md
pub fn kept_line(line: &[u8], known: impl Fn(&str) -> String) -> Option<String> {
    let whole = String::from_utf8_lossy(&line[..line.len().min(MAX_LINE_BYTES)]);
    let whole = visible(&whole);
    let LogLine::Message { text, kind, .. } = LogLine::parse(&whole) else { return None };
    if !kind.is_read() {
        return None;
    }
    let head = &whole[..text.as_ptr() as usize - whole.as_ptr() as usize];
    let message = match &kind {
        LogEventKind::LinuxVersion { release } => format!("Linux version {}", known(release)),
        LogEventKind::CommandLine { text } => {
            format!("Command line: {}", KernelParameters::parse(text).text())
        }
        _ => known(text),
    };
    // Withheld words may have been what makes the message one that is read.
    recognise::event(&message)?;
    Some(stamp(head).map_or_else(|| message.clone(), |stamp| format!("{stamp} {message}")))
}

/// "[    0.000000]" in the prefixes of a line.
fn stamp(head: &str) -> Option<&str> {
    let start = head.find('[')?;
    let end = start + head[start..].find(']')? + 1;
    let inner = &head[start + 1..end - 1];
    (inner.len() < 15
        && inner.contains('.')
        && inner.chars().all(|c| c.is_ascii_digit() || c == '.' || c == ' '))
    .then(|| &head[start..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(line: &str) -> Option<String> {
        kept_line(line.as_bytes(), |text| text.replace("SECRET", "xxxxxx"))
    }

    #[test]
    fn only_messages_that_rules_read_are_kept() {
        for (line, expected) in [
            (
                "[    0.000000] No NUMA configuration found",
                "[    0.000000] No NUMA configuration found",
            ),
            ("<6>[    0.1][    T0] NUMA turned off", "[    0.1] NUMA turned off"),
            ("Jan 31 10:00:00 SECRET kernel: NUMA turned off", "NUMA turned off"),
            (
                "[    0.0] Linux version 6.1.0-SECRET (me@apollo) (gcc) #1",
                "[    0.0] Linux version 6.1.0-xxxxxx",
            ),
            (
                "[    0.0] Kernel command line: root=/dev/SECRET numa=off quiet",
                "[    0.0] Command line: numa=off",
            ),
            ("[    0.0] Hypervisor detected: SECRET", "[    0.0] Hypervisor detected: xxxxxx"),
        ] {
            let kept = kept(line);
            assert_eq!(kept.as_deref(), Some(expected));
        }
        for line in [
            "[    1.0] usb 1-1: SerialNumber: SECRET",
            "Jan 31 10:00:00 host systemd[1]: Hostname set to <SECRET>.",
            "[    0.0] ACPI: SRAT 0x000000007FFE2650 0000C0 (v03 SECRET SYNTH    00000001 NLAB 1)",
            "",
        ] {
            assert_eq!(kept(line), None, "{line}");
        }
    }
}
