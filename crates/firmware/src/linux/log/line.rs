//! Finds the kernel's message in a line, behind what stored, printed, copied or quoted it.

use std::borrow::Cow;

use nearfar_view::input::without_colours;

use super::event::LogEventKind;
use super::head::{Head, Peeled};
use super::recognise;

/// Maximum length of an event's text.
const MAX_TEXT_CHARS: usize = 500;
/// Maximum number of parts before a message: quotes, dates, host, facility, stamps.
const MAX_PARTS: usize = 24;

/// One line of a log.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LogLine<'a> {
    /// A known message.
    Message {
        /// From its first word on.
        text: &'a str,
        kind: LogEventKind,
        /// Whether anything but quotes stands before it.
        has_head: bool,
    },
    /// Another message of the kernel: a stamp or a sender marks it.
    Kernel(&'a str),
    OtherProgram,
    /// Neither: the form has no marks, or a longer line was folded.
    Unmarked {
        text: &'a str,
        /// Whether anything but quotes stands before it.
        has_head: bool,
    },
}

impl<'a> LogLine<'a> {
    /// Parses a line that [`visible`] cleaned.
    pub(super) fn parse(line: &'a str) -> Self {
        let mut head = Head::default();
        let mut starts = vec![line];
        while let Some(start) = starts.last().filter(|_| starts.len() < MAX_PARTS) {
            match head.peel(start) {
                Peeled::Part(rest) => starts.push(rest.trim_start()),
                Peeled::OtherProgram => return Self::OtherProgram,
                Peeled::Message => break,
            }
        }
        // A message may begin with a word that heads have, too.
        let has_head = head.has_begun;
        let known = |start: &&'a str| {
            let kind = recognise::event(start)?;
            // Xen has a command line of its own.
            let is_own = head.is_xen && matches!(kind, LogEventKind::CommandLine { .. });
            (!is_own).then_some(Self::Message { text: start, kind, has_head })
        };
        let text = starts.last().copied().unwrap_or_default();
        let unknown =
            if head.is_kernel { Self::Kernel(text) } else { Self::Unmarked { text, has_head } };
        starts.iter().rev().find_map(known).unwrap_or(unknown)
    }
}

/// A line without colours, and without the blanks around it.
pub(super) fn visible(line: &str) -> Cow<'_, str> {
    let trimmed = line
        .trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
        .trim_end_matches(|c: char| c.is_whitespace() || c == '\0' || c == '`');
    let trimmed = journal_message(trimmed).unwrap_or(trimmed);
    match without_colours(trimmed) {
        Cow::Owned(plain) => Cow::Owned(plain.trim().to_owned()),
        plain => plain,
    }
}

/// The message of a record of `journalctl -o json`, if it is the kernel's.
fn journal_message(record: &str) -> Option<&str> {
    let value = |name: &str| {
        let (_, rest) = record.strip_prefix('{')?.split_once(&format!("\"{name}\""))?;
        let rest = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
        let mut is_escaped = false;
        let end = rest.find(|c| {
            let is_end = c == '"' && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            is_end
        })?;
        Some(&rest[..end])
    };
    let sender = value("SYSLOG_IDENTIFIER").or_else(|| value("_TRANSPORT"))?;
    value("MESSAGE").filter(|_| sender == "kernel")
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

    /// What stands before a message, as programs print and people paste it.
    const HEADS: [&str; 65] = [
        "",
        // dmesg: plain, -x, -xT, -T, -H, -d, -dT, --time-format iso, --color.
        "[    0.000000] ",
        "[0.000000] ",
        "kern  :info  : [    0.000000] ",
        "kern  :info  : [Fri Apr  7 00:04:12 2023] ",
        "[Fri Apr  7 00:04:12 2023] ",
        "[Apr 7 00:04] ",
        "[  +0.000000] ",
        "[    0.000000 <    0.000000>] ",
        "[Fri Apr  7 00:04:12 2023 <    0.000000>] ",
        "[<    0.000000>] ",
        "2023-04-07T00:04:12,123456+02:00 ",
        "kern  :info  : 2023-04-07T00:04:12,123456+02:00 ",
        "\u{1b}[32m[    0.000000] \u{1b}[0m\u{1b}[33m",
        "[32m[    0.000000] [0m[33m",
        // The kernel's levels and callers, /dev/kmsg.
        "<6>[    0.000000] ",
        "<6>",
        "[    0.000000][    T0] ",
        "[    0.000000] [    T0] ",
        "[    0.000000@0] ",
        "3,42,0,-;",
        "3,42,0,-,caller=T0;",
        // The journal: short, -precise, -iso, -monotonic, -full, -unix, -delta; export, JSON.
        "Apr 07 00:04:12 host kernel: ",
        "Apr 07 00:04:12.123456 host kernel: ",
        "2023-04-07T00:04:12+0200 host kernel: ",
        "2026-01-31 10:00:00.000000 node7 kernel: ",
        "[    0.000000] host kernel: ",
        "Fri 2023-04-07 00:04:12 CEST host kernel: ",
        "1680818652.123456 host kernel: ",
        "[    0.000000 <    0.000000 >] host kernel: ",
        "MESSAGE=",
        // Syslog: BSD, RFC 5424, rsyslog, BusyBox's klogd, OpenWrt's logread, talosctl.
        "Apr  7 00:04:12 kernel: ",
        "Apr  7 00:04:12 host kernel: [    0.000000] ",
        "Apr  7 00:04:12 host kernel[0]: ",
        "kernel: ",
        "kernel[0]: ",
        "host kernel: ",
        "<6>Apr  7 00:04:12 host kernel: ",
        "<6>1 2023-04-07T00:04:12.123456+02:00 host kernel - - - ",
        "2026-01-31T10:00:00.000000+09:00 node7 kernel: ",
        "Jan  1 00:00:04 host kern.info kernel: [    0.000000] ",
        "Jan  1 00:00:04 host user.notice kernel: ",
        "Fri Apr  7 00:04:12 2023 kern.info kernel: [    0.000000] ",
        "2023-04-07T00:04:12.123Z kern.info: [    0.000000] ",
        "192.168.1.1: kern:    info: [2023-04-07T00:04:12.123456789Z]: ",
        "node1: kern: warning: [2023-04-07T00:04:12.123456789Z]: ",
        // Consoles, and what stamps or stores them.
        "\r",
        "[2023-04-07 00:04:12] [    0.000000] ",
        "2023-04-07 00:04:12 [    0.000000] ",
        "[2023-04-07T00:04:12.123Z] ",
        "2023-04-07T00:04:12.1234567Z [    0.000000] ",
        "[00:04:12.123] ",
        "00:04:12 ",
        "2023-04-07 00:04:12 node7: [    0.000000] ",
        "(XEN) ",
        "(XEN) [    0.000000] ",
        // Quotes, lists, grep, cat -n.
        "> [    0.000000] ",
        "> > ",
        "| [    0.000000] ",
        "    `[    0.000000] ",
        "12:[    0.000000] ",
        "dmesg.txt:12:[    0.000000] ",
        "dmesg.txt-12-[    0.000000] ",
        "./log/dmesg.txt:",
        "     7\t[    0.000000] ",
    ];

    #[test]
    fn messages_are_found_behind_any_head() {
        let messages = [
            "ACPI: SRAT: SRAT not used.",
            "NUMA turned off",
            "No NUMA configuration found",
            "Command line: BOOT_IMAGE=/vmlinuz ro numa=off",
            "Linux version 5.4.0-90-generic (x@y) (gcc) #1 SMP",
            "node   1: [mem 0x0000000040000000-0x000000007ffdffff]",
            "pci_bus 0000:80: on NUMA node 1",
            "pci 0000:21:00.0: [Firmware Bug]: Overriding NUMA node to 1",
            "acpi/hmat: Ignoring: Invalid table",
        ];
        for head in HEADS {
            for message in messages {
                let line = format!("{head}{message}\r");
                let line = visible(&line);
                let found = match LogLine::parse(&line) {
                    LogLine::Message { text, kind, .. } => Some((text, kind)),
                    _ => None,
                };
                let is_xens = head.starts_with("(XEN)") && message.starts_with("Command line");
                let expected = (!is_xens).then(|| (message, recognise::event(message).unwrap()));
                assert_eq!(found, expected, "{head:?}");
            }
            let line = format!("{head}usb 1-1: new device");
            let is_other = LogLine::parse(&visible(&line)) == LogLine::OtherProgram;
            assert!(!is_other, "{head:?}");
        }
    }

    #[test]
    fn messages_of_other_programs_are_ignored() {
        for line in [
            "Jan 31 10:00:00 node7 sshd[7]: No NUMA configuration found",
            "2026-01-31T10:00:00+09:00 node7 app[1]: [    0.000000] No NUMA configuration found",
            "<30>Jan 31 10:00:00 node7 app: NUMA turned off",
            "(d1) [    0.000000] No NUMA configuration found",
        ] {
            assert_eq!(LogLine::parse(line), LogLine::OtherProgram, "{line}");
        }
        for line in [
            "2026-01-31T10:00:00+09:00 node7 app: No NUMA configuration found",
            "sshd[7]: No NUMA configuration found",
            "My kernel prints NUMA turned off, and why?",
            "There is no line with: NUMA turned off",
        ] {
            assert!(matches!(LogLine::parse(line), LogLine::Unmarked { .. }), "{line}");
        }
    }

    #[test]
    fn records_of_the_journal_are_the_kernels_by_their_sender() {
        let record = |sender: &str| {
            format!("{{\"_HOSTNAME\":\"h\",\"MESSAGE\":\"NUMA turned off\",{sender},\"P\":\"6\"}}")
        };
        for sender in ["\"SYSLOG_IDENTIFIER\":\"kernel\"", "\"_TRANSPORT\" : \"kernel\""] {
            assert_eq!(visible(&record(sender)), "NUMA turned off");
        }
        for sender in ["\"SYSLOG_IDENTIFIER\":\"app\",\"_TRANSPORT\":\"stdout\"", "\"x\":\"y\""] {
            let record = record(sender);
            assert!(matches!(LogLine::parse(&visible(&record)), LogLine::Unmarked { .. }));
        }
    }

    #[test]
    fn brackets_of_the_message_are_kept() {
        for (line, message) in [
            ("[    0.1] [Firmware Bug]: x", LogLine::Kernel("[Firmware Bug]: x")),
            ("[SRAT:0xZ] y", LogLine::Unmarked { text: "[SRAT:0xZ] y", has_head: false }),
            ("<not a level> x", LogLine::Unmarked { text: "<not a level> x", has_head: false }),
        ] {
            assert_eq!(LogLine::parse(line), message);
        }
        assert_eq!(visible("\u{1b}[1mone\u{1b}[0m [mem 0x0]\u{1b}[K"), "one [mem 0x0]");
        assert_eq!(printable("a\u{1b}[2J"), "a?[2J");
    }
}
