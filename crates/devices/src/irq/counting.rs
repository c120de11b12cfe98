//! Counts by CPU: since boot, or between two readings.

use std::collections::{BTreeMap, HashMap};

use nearfar_machine::interrupts::{InterruptLine, InterruptTable};
use nearfar_model::{CpuId, CpuSet};

use crate::irq::document::CpuCount;

/// No CPU serves more interrupts a second: a larger difference is a new start of the counter.
const MAX_PER_SECOND: f64 = 1e7;
/// The kernel's counters of a CPU have 32 bits.
const WRAP: u64 = 1 << 32;

/// The counters of columns, at one or two times.
pub(crate) struct Counting<'a> {
    cpus: &'a [CpuId],
    earlier: Option<EarlierColumns<'a>>,
}

struct EarlierColumns<'a> {
    lines: HashMap<&'a str, &'a InterruptLine>,
    /// The earlier column of each column; `None` for a CPU that came online.
    columns: Vec<Option<usize>>,
    most: u64,
}

impl<'a> Counting<'a> {
    pub(crate) fn new(
        now: &'a InterruptTable,
        earlier: Option<(&'a InterruptTable, Option<f64>)>,
    ) -> Self {
        let earlier = earlier.map(|(table, seconds)| {
            let lines = table.lines.iter().map(|line| (line.name.as_str(), line));
            EarlierColumns {
                lines: lines.collect(),
                columns: columns(&now.cpus, &table.cpus),
                most: seconds
                    .map_or(u64::MAX, |seconds| (seconds.max(1.0) * MAX_PER_SECOND) as u64),
            }
        });
        Self { cpus: &now.cpus, earlier }
    }

    /// The counts of CPUs that served an interrupt; `None` if it is new, or its counters started
    /// again.
    pub(crate) fn for_line(&self, line: &InterruptLine) -> Option<Vec<CpuCount>> {
        let Some(earlier) = &self.earlier else {
            return Some(filled(self.cpus.iter().copied().zip(line.counts.iter().copied())));
        };
        let before = earlier.lines.get(line.name.as_str())?;
        if before.actions != line.actions {
            return None;
        }
        differences(self.cpus, line, &earlier.columns, &before.counts, earlier.most)
    }
}

/// The counts of CPUs that served an interrupt between two readings; `None` if it is new, or its
/// counters started again.
pub fn counts_between(
    now: &InterruptTable,
    earlier: &InterruptTable,
    seconds: f64,
    number: u32,
) -> Option<Vec<CpuCount>> {
    Counting::new(now, Some((earlier, Some(seconds)))).for_line(now.irq(number)?)
}

fn differences(
    cpus: &[CpuId],
    line: &InterruptLine,
    columns: &[Option<usize>],
    before: &[u64],
    most: u64,
) -> Option<Vec<CpuCount>> {
    let mut counts = Vec::new();
    for ((&cpu, &now), column) in cpus.iter().zip(&line.counts).zip(columns) {
        let Some(before) = column.and_then(|column| before.get(column)) else { continue };
        let count = difference(now, *before).filter(|count| *count <= most)?;
        if count > 0 {
            counts.push(CpuCount { cpu, count });
        }
    }
    Some(counts)
}

/// How far a counter went on. A lower value of 32 bits has wrapped if it was in the upper half:
/// after hours, a new start of a low counter looks like a wrap, too.
fn difference(now: u64, before: u64) -> Option<u64> {
    match now.checked_sub(before) {
        Some(difference) => Some(difference),
        None if (WRAP / 2..WRAP).contains(&before) => Some(WRAP - before + now),
        None => None,
    }
}

/// All counts together. Malformed counters may exceed 64 bits.
pub(crate) fn sum(counts: &[CpuCount]) -> u64 {
    counts.iter().fold(0, |sum, one| sum.saturating_add(one.count))
}

fn filled(counts: impl Iterator<Item = (CpuId, u64)>) -> Vec<CpuCount> {
    let counts = counts.filter(|(_, count)| *count > 0);
    counts.map(|(cpu, count)| CpuCount { cpu, count }).collect()
}

/// The earlier column of each CPU.
fn columns(now: &[CpuId], earlier: &[CpuId]) -> Vec<Option<usize>> {
    let places: BTreeMap<CpuId, usize> =
        earlier.iter().enumerate().map(|(place, cpu)| (*cpu, place)).collect();
    now.iter().map(|cpu| places.get(cpu).copied()).collect()
}

/// CPUs with counters at only one of two times.
pub(crate) fn changed_cpus(now: &InterruptTable, earlier: &InterruptTable) -> CpuSet {
    let set = |table: &InterruptTable| table.cpus.iter().copied().collect::<CpuSet>();
    let (now, earlier) = (set(now), set(earlier));
    now.difference(&earlier).union(&earlier.difference(&now))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> InterruptTable {
        InterruptTable::parse(text.as_bytes()).unwrap()
    }

    /// Counts of the first line after a second.
    fn counted(before: &str, now: &str) -> Option<Vec<(u32, u64)>> {
        let (before, now) = (table(before), table(now));
        let counts = Counting::new(&now, Some((&before, Some(1.0)))).for_line(&now.lines[0])?;
        Some(counts.iter().map(|count| (count.cpu.0, count.count)).collect())
    }

    #[test]
    fn counters_of_32_bits_wrap() {
        let before = " CPU0 CPU1\n 5: 4294967290 7 X 5-edge a\n";
        let now = " CPU0 CPU1\n 5: 4 7 X 5-edge a\n";
        assert_eq!(counted(before, now), Some(vec![(0, 10)]));
    }

    /// Ten minutes are enough for a wrap of the fastest counter.
    #[test]
    fn low_counters_that_start_again_have_not_wrapped() {
        let before = table(" CPU0\n 5: 900 X 5-edge a\n");
        let now = table(" CPU0\n 5: 4 X 5-edge a\n");
        let counting = Counting::new(&now, Some((&before, Some(600.0))));
        assert!(counting.for_line(&now.lines[0]).is_none());
    }

    #[test]
    fn counters_that_start_again_are_unknown() {
        let before = " CPU0 CPU1\n 5: 900 7 X 5-edge a\n";
        let now = " CPU0 CPU1\n 5: 4 7 X 5-edge a\n";
        assert_eq!(counted(before, now), None);
        let other = " CPU0 CPU1\n 5: 901 8 X 5-edge b\n";
        assert_eq!(counted(before, other), None);
        assert_eq!(counted(" CPU0 CPU1\n 6: 1 1 X 6-edge a\n", now), None);
    }

    #[test]
    fn cpus_that_come_or_go_are_left_out() {
        let before = " CPU0 CPU1\n 5: 10 7 X 5-edge a\n";
        let now = " CPU0 CPU2\n 5: 15 900 X 5-edge a\n";
        assert_eq!(counted(before, now), Some(vec![(0, 5)]));
        assert_eq!(changed_cpus(&table(now), &table(before)).to_string(), "1-2");
    }

    #[test]
    fn counts_since_boot_are_the_counters() {
        let now = table(" CPU0 CPU1\n 5: 10 0 X 5-edge a\nERR: 3\n");
        let counting = Counting::new(&now, None);
        assert_eq!(counting.for_line(&now.lines[0]).unwrap().len(), 1);
    }
}
