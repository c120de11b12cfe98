//! Strips the prefixes of log lines: timestamps, levels, host names.

/// Maximum length of an event's text.
const MAX_TEXT_CHARS: usize = 500;

/// One line of a log.
pub(super) struct LogLine<'a>(&'a str);

impl<'a> LogLine<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self(text.trim_end_matches(['\r', '\n', '\0', ' ']))
    }

    /// The message without prefixes; `None` if another program logged it.
    pub(super) fn kernel_text(&self) -> Option<&'a str> {
        // A console may leave a carriage return before the timestamp.
        let text = self.0.trim_start_matches(['\r', ' ', '\u{feff}']);
        let text = without_record_head(text);
        let text = match after_syslog_head(text) {
            SyslogHeader::Kernel(rest) => rest,
            SyslogHeader::Other => return None,
            SyslogHeader::None => text,
        };
        Some(without_stamps(text).trim_end())
    }
}

/// `/dev/kmsg` begins a record with "6,1234,5678,-;".
fn without_record_head(text: &str) -> &str {
    let Some((head, rest)) = text.split_once(';') else { return text };
    let fields = head.split(',').collect::<Vec<_>>();
    let numbers = || {
        fields
            .iter()
            .take(3)
            .all(|field| !field.is_empty() && field.bytes().all(|b| b.is_ascii_digit()))
    };
    if fields.len() >= 4 && numbers() { rest } else { text }
}

/// The prefix of syslog and the journal.
enum SyslogHeader<'a> {
    /// The kernel logged the message.
    Kernel(&'a str),
    /// Another program logged the message.
    Other,
    /// There is no such prefix.
    None,
}

/// "Jan 31 10:00:00 host kernel: ", "2026-01-31T10:00:00.000000+09:00 host kernel: ": two to five
/// words, then the program's name with a colon.
fn after_syslog_head(text: &str) -> SyslogHeader<'_> {
    if !begins_with_a_date(text) {
        return SyslogHeader::None;
    }
    let Some((head, rest)) = text.split_once(": ") else { return SyslogHeader::None };
    let words = head.split_whitespace().count();
    let sender = head.rsplit(' ').next().unwrap_or_default();
    match words {
        3..=6 if sender == "kernel" => SyslogHeader::Kernel(rest),
        3..=6 => SyslogHeader::Other,
        _ => SyslogHeader::None,
    }
}

fn begins_with_a_date(text: &str) -> bool {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let month = || {
        text.get(..4).is_some_and(|word| word.ends_with(' ') && MONTHS.contains(&word.trim_end()))
    };
    let iso = || {
        let bytes = text.as_bytes();
        bytes.len() > 19
            && bytes[..4].iter().all(u8::is_ascii_digit)
            && bytes[4] == b'-'
            && bytes[7] == b'-'
    };
    month() || iso()
}

/// "<6>", "[    0.000000]", "[Sat Jan 31 10:00:00 2026]", "[    T0]", in any number.
fn without_stamps(mut text: &str) -> &str {
    loop {
        text = text.trim_start();
        let rest = match text.as_bytes().first() {
            Some(b'<') => after(text, '>', |inner| inner.bytes().all(|b| b.is_ascii_digit())),
            Some(b'[') => after(text, ']', is_stamp),
            _ => None,
        };
        let Some(rest) = rest else { return text };
        text = rest;
    }
}

fn after(text: &str, end: char, fits: impl Fn(&str) -> bool) -> Option<&str> {
    let (inner, rest) = text.get(1..)?.split_once(end)?;
    (inner.len() < 40 && fits(inner.trim())).then_some(rest)
}

/// Seconds since boot, a date, or the thread or CPU that logged it. "[BIOS BUG]" and "[Firmware
/// Bug]" are none of these.
fn is_stamp(inner: &str) -> bool {
    let seconds = || inner.contains('.') && inner.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let sender = || {
        let digits = inner.strip_prefix(['T', 'C']).unwrap_or_default();
        !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
    };
    let date = || inner.split_whitespace().count() == 5 && inner.matches(':').count() == 2;
    seconds() || sender() || date()
}

/// An event's text: cut, without control characters.
pub(super) fn printable(text: &str) -> String {
    text.chars()
        .take(MAX_TEXT_CHARS)
        .map(|c| if nearfar_model::is_obeyed(c) { '?' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(line: &str) -> Option<&str> {
        LogLine::new(line).kernel_text()
    }

    #[test]
    fn prefixes_are_stripped() {
        let message = Some("ACPI: SRAT: SRAT not used.");
        for head in [
            "",
            "[    0.000000] ",
            "<3>[    0.000000] ",
            "[    0.000000][    T0] ",
            "[Sat Jan 31 10:00:00 2026] ",
            "3,42,0,-;",
            "3,42,0,-,caller=T0;",
            "Jan 31 10:00:00 node7 kernel: ",
            "Jan  1 10:00:00 node7 kernel: [    0.000000] ",
            "2026-01-31T10:00:00.000000+09:00 node7 kernel: ",
            "2026-01-31 10:00:00.000000 node7 kernel: ",
            "\r",
        ] {
            assert_eq!(text(&format!("{head}ACPI: SRAT: SRAT not used.\r")), message, "{head:?}");
        }
    }

    #[test]
    fn messages_of_other_programs_are_ignored() {
        assert_eq!(text("Jan 31 10:00:00 node7 sshd[7]: No NUMA configuration found"), None);
        assert_eq!(text("2026-01-31T10:00:00+09:00 node7 app: No NUMA configuration found"), None);
    }

    #[test]
    fn brackets_of_the_message_are_kept() {
        assert_eq!(text("[    0.1] [Firmware Bug]: x"), Some("[Firmware Bug]: x"));
        assert_eq!(
            text("[SRAT:0x00] Invalid zero length"),
            Some("[SRAT:0x00] Invalid zero length")
        );
        assert_eq!(text("<not a level> x"), Some("<not a level> x"));
        assert_eq!(printable("a\u{1b}[2J"), "a?[2J");
    }
}
