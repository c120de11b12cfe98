//! A saved `/proc/interrupts`, as people paste it: also two of them, one below the other.

use std::collections::{BTreeMap, BTreeSet};

use nearfar_machine::interrupts::InterruptTable;
use nearfar_view::input::unquoted;
use thiserror::Error;

use crate::irq::document::SavedFile;

/// The tables of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedInterrupts {
    /// The first of several.
    pub(crate) first: Option<InterruptTable>,
    /// The only or the last one.
    pub(crate) last: InterruptTable,
    pub(crate) file: SavedFile,
}

/// Why a file has no counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NotSaved {
    /// No line with CPUs.
    #[error(
        "no line of it has the CPUs and nothing else (CPU0 CPU1). Known is the text of \
         /proc/interrupts, also quoted or with other lines around it, and several of one machine. \
         Lines that a terminal folded, or with text before them, are not"
    )]
    NoCpus,
    /// CPUs, and nothing below them.
    #[error("no line below the CPUs is an interrupt with a count for each of {0} CPUs")]
    NoInterrupts(usize),
    /// Two lines of CPUs, one below the other.
    #[error("the CPUs go on in a second line: a terminal folded the text, and counts are apart")]
    Folded,
    /// Tables of two machines.
    #[error("tables 1 and {0} have other CPUs: give those of one machine, or one table")]
    OtherCpus(usize),
    /// Tables of two machines, or of two selections.
    #[error("tables 1 and {0} have other interrupts: give those of one machine, or one table")]
    OtherInterrupts(usize),
    /// The later one is first, or the machine started again.
    #[error("counts of table {0} are lower than those of table 1: give the earlier table first")]
    Lower(usize),
}

impl SavedInterrupts {
    /// Parses a file.
    ///
    /// # Errors
    ///
    /// [`NotSaved`].
    pub fn parse(bytes: &[u8]) -> Result<Self, NotSaved> {
        let text = unquoted(&String::from_utf8_lossy(bytes));
        let (texts, lines) = split(&text)?;
        let mut tables = Vec::new();
        for text in &texts {
            let table = InterruptTable::parse(text.as_bytes()).map_err(|_| NotSaved::NoCpus)?;
            if table.lines.is_empty() {
                return Err(NotSaved::NoInterrupts(table.cpus.len()));
            }
            tables.push(table);
        }
        let understood: usize = tables.iter().map(|table| table.lines.len()).sum();
        let heads = text.lines().filter(|line| is_head(line)).count();
        let file = SavedFile {
            tables: tables.len(),
            lines,
            ignored: lines.saturating_sub(understood + heads),
        };
        let last = tables.pop().ok_or(NotSaved::NoCpus)?;
        if let Some(first) = tables.first() {
            for (index, other) in tables.iter().skip(1).chain([&last]).enumerate() {
                are_of_one_machine(first, other, index + 2)?;
            }
            if is_lower(first, &last) {
                return Err(NotSaved::Lower(file.tables));
            }
        }
        Ok(Self { first: tables.into_iter().next(), last, file })
    }
}

/// The text of each table, and the number of lines with text. A table begins with its CPUs. It also
/// begins where an interrupt comes again: then the CPUs above count.
fn split(text: &str) -> Result<(Vec<String>, usize), NotSaved> {
    let (mut tables, mut lines): (Vec<String>, usize) = (Vec::new(), 0);
    let (mut head, mut seen) = ("", BTreeSet::new());
    for line in text.lines() {
        let is_fence = ["```", "~~~"].iter().any(|fence| line.trim_start().starts_with(fence));
        if line.trim().is_empty() || is_fence {
            continue;
        }
        lines += 1;
        if is_head(line) {
            if !head.is_empty() && seen.is_empty() && head.trim() != line.trim() {
                return Err(NotSaved::Folded);
            }
            if head.is_empty() || !seen.is_empty() {
                tables.push(String::new());
            }
            (head, seen) = (line, BTreeSet::new());
            if let Some(table) = tables.last_mut() {
                *table = format!("{line}\n");
            }
            continue;
        }
        let name = interrupt_name(line).filter(|_| !head.is_empty());
        if name.is_some_and(|name| !seen.insert(name)) {
            tables.push(format!("{head}\n"));
            seen = name.into_iter().collect();
        }
        if let Some(table) = tables.last_mut() {
            *table += line;
            table.push('\n');
        }
    }
    if tables.is_empty() { Err(NotSaved::NoCpus) } else { Ok((tables, lines)) }
}

fn is_head(line: &str) -> bool {
    InterruptTable::is_head(line.as_bytes())
}

/// `24`, `LOC`: the name before the colon, if a count follows.
fn interrupt_name(line: &str) -> Option<&str> {
    let (name, rest) = line.split_once(':')?;
    let name = name.trim();
    let is_name = !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
    let count = rest.split_ascii_whitespace().next().filter(|_| is_name)?;
    count.bytes().all(|byte| byte.is_ascii_digit()).then_some(name)
}

/// Whether the same CPUs have mostly the same interrupts, by names and handlers.
fn are_of_one_machine(
    first: &InterruptTable,
    other: &InterruptTable,
    number: usize,
) -> Result<(), NotSaved> {
    if first.cpus != other.cpus {
        return Err(NotSaved::OtherCpus(number));
    }
    let fewer = first.lines.len().min(other.lines.len());
    let common = common(first, other).count();
    if common * 2 < fewer { Err(NotSaved::OtherInterrupts(number)) } else { Ok(()) }
}

/// Whether most of the counts that changed fell.
fn is_lower(first: &InterruptTable, last: &InterruptTable) -> bool {
    let (mut lower, mut higher) = (0, 0);
    for (before, now) in common(first, last) {
        lower += usize::from(now < before);
        higher += usize::from(now > before);
    }
    lower > higher
}

/// The counts of interrupts that both have.
fn common(first: &InterruptTable, last: &InterruptTable) -> impl Iterator<Item = (u64, u64)> {
    let counts: BTreeMap<(&str, &[String]), u64> = first
        .lines
        .iter()
        .map(|line| ((line.name.as_str(), line.actions.as_slice()), line.total()))
        .collect();
    let both = last.lines.iter().filter_map(move |line| {
        let before = counts.get(&(line.name.as_str(), line.actions.as_slice()))?;
        Some((*before, line.total()))
    });
    both.collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests;
