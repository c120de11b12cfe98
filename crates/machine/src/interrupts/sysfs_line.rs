//! An interrupt from `/sys/kernel/irq/N`, where `/proc/interrupts` is not readable, or has a chip
//! whose text cannot be taken apart.

use nearfar_model::{CpuId, CpuSet};

use super::line::actions;
use super::{InterruptLine, InterruptTable};
use crate::attribute::Attributes;

const FOLDER: &str = "/sys/kernel/irq";

/// The description of an interrupt; counters stay as they are.
pub(super) fn describe(read: &Attributes<'_>, line: &mut InterruptLine) {
    let Some(number) = line.number else { return };
    let text = |file: &str| read.text(&format!("{FOLDER}/{number}/{file}"));
    let Some(chip) = text("chip_name") else { return };
    line.chip = Some(chip);
    line.input = text("hwirq").and_then(|input| input.parse().ok());
    let trigger = text("type").or_else(|| text("name"));
    line.trigger = trigger.map(|trigger| trigger.to_lowercase());
    line.actions = actions(&text("actions").unwrap_or_default());
    line.description = None;
}

/// The table from `per_cpu_count`, which has a counter for each possible CPU.
pub(super) fn table(read: &Attributes<'_>) -> Option<InterruptTable> {
    let possible: CpuSet = read.list("/sys/devices/system/cpu/possible")?;
    let cpus: Vec<CpuId> = possible.iter().collect();
    let line = |number: u32| {
        let counts = read.text(&format!("{FOLDER}/{number}/per_cpu_count"))?;
        let counts: Vec<u64> =
            counts.split(',').map(|count| count.trim().parse().ok()).collect::<Option<_>>()?;
        if counts.len() != cpus.len() {
            read.odd(format!(
                "{FOLDER}/{number}/per_cpu_count has {} counters for {} CPUs",
                counts.len(),
                cpus.len()
            ));
            return None;
        }
        let (name, number) = (number.to_string(), Some(number));
        let mut line = InterruptLine { name, number, counts, ..<_>::default() };
        describe(read, &mut line);
        (!line.actions.is_empty()).then_some(line)
    };
    let lines: Vec<InterruptLine> =
        read.source.numbered(FOLDER, "").into_iter().filter_map(line).collect();
    (!lines.is_empty()).then(|| InterruptTable { cpus, lines, oddities: Vec::new() })
}
