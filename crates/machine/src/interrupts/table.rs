//! `/proc/interrupts`: a column for each online CPU, a line for each interrupt.

use nearfar_model::{Bytes, CpuId, MAX_ID};
use serde::Serialize;
use thiserror::Error;

use super::InterruptLine;
use crate::source::{FileContents, Source};

pub(super) const TABLE: &str = "/proc/interrupts";
/// Maximum size: 16,384 interrupts of 1,024 CPUs take 184 MB.
const MAX_TABLE: Bytes = Bytes::mib(256);
/// Maximum number of lines that are kept.
const MAX_LINES: usize = 1 << 17;
/// Malformed lines that are listed.
const MAX_ODDITIES: usize = 20;
/// Characters of a quoted line.
const QUOTED: usize = 60;

/// The interrupts of a machine, counted by CPU since boot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct InterruptTable {
    /// The CPUs of the columns: those that are online.
    pub cpus: Vec<CpuId>,
    /// The interrupts, in the file's order.
    pub lines: Vec<InterruptLine>,
    /// Malformed lines.
    pub oddities: Vec<String>,
}

/// A text that is not `/proc/interrupts`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("its first line names no CPUs: '{0}'")]
pub struct NotInterrupts(String);

impl InterruptTable {
    /// Parses the text of `/proc/interrupts`, of any architecture.
    ///
    /// # Errors
    ///
    /// [`NotInterrupts`] if the first line that is not empty names no CPU.
    ///
    /// # References
    ///
    /// proc(5); the kernel's `show_interrupts` in kernel/irq/proc.c, and `arch_show_interrupts`.
    pub fn parse(text: &[u8]) -> Result<Self, NotInterrupts> {
        let mut lines = text.split(|byte| *byte == b'\n');
        let is_filled = |line: &&[u8]| !line.trim_ascii().is_empty();
        let head = lines.by_ref().find(is_filled).unwrap_or_default();
        let cpus = head_cpus(head).ok_or_else(|| NotInterrupts(quoted(head)))?;
        let mut table = Self { cpus, ..Self::default() };
        for line in lines.filter(is_filled) {
            if table.lines.len() == MAX_LINES {
                table.odd(format!("more than {MAX_LINES} lines: the rest is not read"));
                break;
            }
            match table.line(line) {
                Some(line) => table.lines.push(line),
                None => table.odd(format!("line '{}' is malformed", quoted(line))),
            }
        }
        Ok(table)
    }

    /// Reads the counters of `/proc/interrupts`.
    ///
    /// # Errors
    ///
    /// Why there are none, in one line.
    pub fn read(source: &Source) -> Result<Self, String> {
        match source.contents_up_to(TABLE, MAX_TABLE) {
            FileContents::Bytes(text) => {
                Self::parse(&text).map_err(|error| format!("{TABLE}: {error}"))
            }
            FileContents::Denied => Err(format!("{TABLE} is not readable")),
            FileContents::Absent => Err(format!("{TABLE} does not exist")),
        }
    }

    /// Whether a line names the CPUs of a table.
    pub fn is_head(line: &[u8]) -> bool {
        head_cpus(line).is_some()
    }

    fn odd(&mut self, what: String) {
        if self.oddities.len() < MAX_ODDITIES {
            self.oddities.push(what);
        }
    }

    /// The line of an interrupt.
    pub fn irq(&self, number: u32) -> Option<&InterruptLine> {
        self.lines.iter().find(|line| line.number == Some(number))
    }

    /// A name, a counter for each CPU or one, and text. Fewer counters than CPUs are malformed, as
    /// a CPU may have none of its own.
    fn line(&self, line: &[u8]) -> Option<InterruptLine> {
        let colon = line.iter().position(|byte| *byte == b':')?;
        let name = std::str::from_utf8(&line[..colon]).ok()?.trim();
        if name.is_empty() || name.contains(char::is_whitespace) {
            return None;
        }
        let mut rest = &line[colon + 1..];
        let mut counts = Vec::with_capacity(self.cpus.len());
        while counts.len() < self.cpus.len() {
            let Some((count, after)) = leading_number(rest) else { break };
            counts.push(count?);
            rest = after;
        }
        let is_device = name.bytes().all(|byte| byte.is_ascii_digit());
        let number = if is_device { Some(name.parse().ok()?) } else { None };
        let has_all = counts.len() == self.cpus.len();
        // `ERR: 0`: one counter of the machine, and no text.
        let is_machines = counts.len() == 1 && !is_device && rest.trim_ascii().is_empty();
        if !has_all && !is_machines {
            return None;
        }
        let mut line = InterruptLine { name: name.to_owned(), number, counts, ..<_>::default() };
        line.describe(&String::from_utf8_lossy(rest));
        Some(line)
    }
}

/// The number at the start of a text, after blanks: `None` for other text, and no value for a
/// number of more than 64 bits. A word that goes on after its digits is other text.
fn leading_number(text: &[u8]) -> Option<(Option<u64>, &[u8])> {
    let start = text.iter().position(|byte| *byte != b' ' && *byte != b'\t')?;
    let text = &text[start..];
    let length = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(length);
    if digits.is_empty() || rest.first().is_some_and(|byte| !byte.is_ascii_whitespace()) {
        return None;
    }
    let digit = |byte: &u8| u64::from(byte - b'0');
    let value = digits
        .iter()
        .try_fold(0_u64, |value, byte| value.checked_mul(10)?.checked_add(digit(byte)));
    Some((value, rest))
}

/// The CPUs of the head: `CPU0 CPU1 CPU4`.
fn head_cpus(head: &[u8]) -> Option<Vec<CpuId>> {
    let words = std::str::from_utf8(head).ok()?.split_ascii_whitespace();
    let cpu = |word: &str| {
        let number = word.strip_prefix("CPU")?.parse().ok()?;
        (number <= MAX_ID).then_some(CpuId(number))
    };
    let cpus: Vec<CpuId> = words.map(cpu).collect::<Option<_>>()?;
    let mut sorted = cpus.clone();
    sorted.sort_unstable();
    sorted.dedup();
    (!cpus.is_empty() && sorted.len() == cpus.len()).then_some(cpus)
}

fn quoted(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line.trim_ascii());
    text.chars().take(QUOTED).map(|c| if nearfar_model::is_obeyed(c) { '?' } else { c }).collect()
}
