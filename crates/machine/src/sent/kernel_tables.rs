//! Files of the kernel, as they are: interrupts, memory, its log; and firmware's tables as
//! `acpidump` prints them.

use nearfar_firmware::linux::KernelLog;
use nearfar_firmware::{DumpedTable, parse_acpidump};

use super::table_files;
use crate::interrupts::InterruptTable;
use crate::source::{MachineFiles, RefusedText, SentTable};

/// Tables of a machine at most.
const MAX_TABLES: usize = 256;
/// The shortest table, the RSDP of ACPI 1.0.
const SHORTEST: usize = 20;
const BYTES_IN_A_LINE: usize = 16;

/// "           CPU0       CPU1"
pub(super) fn begins_interrupts(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let is_cpu =
        |word: &str| word.strip_prefix("CPU").is_some_and(|number| number.parse::<u32>().is_ok());
    words.next().is_some_and(is_cpu) && words.all(is_cpu)
}

/// Keeps the table, and its CPUs.
pub(super) fn interrupts(text: &str, files: &mut MachineFiles) -> bool {
    let Ok(table) = InterruptTable::parse(text.as_bytes()) else { return false };
    if table.lines.is_empty() {
        return false;
    }
    files.cpus = table.cpus.iter().copied().collect();
    // Lines of a paste after it are none of its own.
    let is_row = |line: &&str| {
        let name = line.split_once(':').map(|(name, _)| name.trim());
        name.is_none_or(|name| !name.is_empty() && !name.contains(' '))
    };
    let kept: Vec<&str> =
        text.lines().filter(is_row).filter(|line| !line.trim().is_empty()).collect();
    files.put("/proc/interrupts", kept.join("\n"));
    true
}

pub(super) fn begins_meminfo(line: &str) -> bool {
    line.starts_with("MemTotal:")
}

pub(super) fn meminfo(text: &str, files: &mut MachineFiles) -> bool {
    let is_field = |line: &&str| {
        let value = line.trim().split_once(':').map(|(_, value)| value.trim());
        value.is_some_and(|value| value.starts_with(|c: char| c.is_ascii_digit()))
    };
    let lines: Vec<&str> = text.lines().filter(is_field).map(str::trim).collect();
    let has_size = lines.iter().any(|line| line.starts_with("MemTotal:") && line.ends_with(" kB"));
    if has_size {
        files.put("/proc/meminfo", lines.join("\n"));
    }
    has_size
}

/// "SRAT @ 0x00000000DF7F1000"
pub(super) fn begins_acpidump(line: &str) -> bool {
    line.get(4..).is_some_and(|rest| rest.starts_with(" @ 0x"))
}

pub(super) fn acpidump(text: &str, files: &mut MachineFiles) -> bool {
    let mut tables = parse_acpidump(text.as_bytes());
    tables.truncate(MAX_TABLES);
    files.refused = tables.iter().find_map(refusal);
    if files.refused.is_some() {
        return false;
    }
    let sent = tables.iter().map(|table| {
        let place = SentTable { file: String::new(), line: Some(table.line) };
        (table.signature.as_str(), place, table.bytes.clone())
    });
    files.put_tables(sent.collect());
    !tables.is_empty()
}

/// Of a table that has fewer bytes than its header counts.
fn refusal(table: &DumpedTable) -> Option<RefusedText> {
    let is_whole = match table_files::length(&table.signature, &table.bytes) {
        Some(length) => table.bytes.len() >= length,
        // Few tables have no such header, and none is so short.
        None => table.bytes.len() >= SHORTEST,
    };
    let lines = table.bytes.len().div_ceil(BYTES_IN_A_LINE);
    let cut = RefusedText::CutAfter(table.line + lines);
    (!is_whole).then(|| table.gap.map_or(cut, RefusedText::Damaged))
}

/// A line with the kernel's time stamp, or the first message of a boot.
pub(super) fn begins_log(line: &str) -> bool {
    line.contains("Linux version ") || line.contains(" kernel: ") || has_stamp(line)
}

/// Characters of a time stamp at most.
const MAX_STAMP: usize = 24;

/// "[    0.000000] "
fn has_stamp(line: &str) -> bool {
    let mut rest = line;
    while let Some(at) = rest.find('[') {
        rest = &rest[at + 1..];
        let end = rest.bytes().take(MAX_STAMP).position(|byte| byte == b']').unwrap_or(0);
        let parts = rest[..end].trim_start().split_once('.');
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if parts.is_some_and(|(s, us)| us.len() == 6 && is_number(s) && is_number(us)) {
            return true;
        }
    }
    false
}

/// Keeps a log that has a message of the kernel.
pub(super) fn log(text: &str, files: &mut MachineFiles) -> bool {
    let text = text.trim_end_matches('\n');
    let log = KernelLog::parse(text.as_bytes());
    let has_events = !log.events.is_empty();
    if has_events {
        files.put_log(text, log);
    }
    has_events
}
