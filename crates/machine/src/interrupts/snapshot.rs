//! What changes while the machine runs: counters, and where interrupts are served.

use std::collections::BTreeMap;

use serde::Serialize;

use super::table::TABLE;
use super::{InterruptLine, InterruptTable, IrqAffinity, sysfs_line};
use crate::addresses::without_addresses;
use crate::attribute::Attributes;
use crate::in_threads;
use crate::source::Source;

/// The interrupts of a machine at one time.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct InterruptSnapshot {
    /// The counters.
    pub table: InterruptTable,
    /// Where each device's interrupt may run, by its number.
    pub affinity: BTreeMap<u32, IrqAffinity>,
    /// The work after interrupts (`/proc/softirqs`, which has the layout of the counters): a line
    /// for each kind, a column for each possible CPU. `None` if not readable.
    pub softirqs: Option<InterruptTable>,
    /// Malformed values, one line each.
    pub oddities: Vec<String>,
}

impl InterruptSnapshot {
    /// Reads the counters and `/proc/irq` of a machine.
    ///
    /// # Errors
    ///
    /// Why there are no counters, in one line: they are neither in `/proc/interrupts` nor in
    /// `/sys/kernel/irq`.
    pub fn read(source: &Source) -> Result<Self, String> {
        let read = Attributes::new(source);
        let mut table =
            InterruptTable::read(source).or_else(|why| sysfs_line::table(&read).ok_or(why))?;
        for line in &mut table.lines {
            let is_undecided = line.number.is_some() && line.chip.is_none();
            if is_undecided && line.description.is_some() {
                sysfs_line::describe(&read, line);
            }
        }
        let mut snapshot = Self::for_table(table);
        let numbers = snapshot.table.lines.iter().filter_map(|line| line.number);
        let numbers: Vec<u32> = numbers.collect();
        let affinity = in_threads::each(source, &numbers, |one| IrqAffinity::read(source, *one));
        snapshot.affinity = numbers.into_iter().zip(affinity).collect();
        snapshot.forget_unkept_modes(source.is_live());
        snapshot.softirqs = softirqs(source);
        snapshot.oddities.extend(read.into_oddities());
        Ok(snapshot)
    }

    /// A saved `/proc/interrupts`, alone.
    pub fn for_table(mut table: InterruptTable) -> Self {
        // Drivers name interrupts after interfaces, whose names may have an address.
        let anonymous = |text: &mut String| *text = without_addresses(text, &mut Vec::new());
        let oddities = std::mem::take(&mut table.oddities);
        for InterruptLine { actions, description, .. } in &mut table.lines {
            actions.iter_mut().chain(description).for_each(anonymous);
        }
        Self {
            table,
            oddities: oddities.into_iter().map(|line| format!("{TABLE}: {line}")).collect(),
            ..Self::default()
        }
    }

    /// Captures may have one mode for all files: such modes show nothing.
    fn forget_unkept_modes(&mut self, is_live: bool) {
        let has =
            |wanted: bool| self.affinity.values().any(|value| value.is_writable == Some(wanted));
        let are_kept = is_live || (has(true) && has(false));
        if !are_kept {
            self.affinity.values_mut().for_each(|one| one.is_writable = None);
        }
    }
}

/// # References
///
/// proc(5)
fn softirqs(source: &Source) -> Option<InterruptTable> {
    InterruptTable::parse(&source.read("/proc/softirqs")?).ok()
}
