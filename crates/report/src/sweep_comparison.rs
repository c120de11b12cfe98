//! Two sweeps beside each other.

use nearfar_sweep::Where;
use nearfar_sweep::compare::{Both, Comparison, Differing};
use nearfar_terminal::table::{Align, Table};

use crate::differing;
use crate::paragraph;

/// What was run where, the table of configurations that both have, and what follows.
pub fn text(comparison: &Comparison) -> String {
    let mut text = heads(comparison);
    for one in comparison.differs.iter().filter(|one| !is_in_head(one)) {
        let statement = differing::statement(&one.what, &one.first, &one.second);
        text += &paragraph::of(&statement, "differs: ", "  ");
    }
    text.push('\n');
    let mut table = Table::default();
    table.line(["configuration", "first", "second", "second to first", "95 % interval"]);
    for one in &comparison.configurations {
        table.line(entries(one));
    }
    text += &table.text(&[Align::Left, Align::Right]);
    if comparison.configurations.iter().any(|one| one.apart.is_some_and(|apart| !apart.real)) {
        text += "?: not beyond chance (family-wise 5 %)\n";
    }
    for (ids, which) in comparison.only_in.iter().zip(["first", "second"]).filter(|(ids, _)| !ids.is_empty()) {
        text += &paragraph::of(&ids.join(", "), &format!("only in the {which}: "), "  ");
    }
    text.push('\n');
    text + &paragraph::of(&comparison.words.join(" "), "", "")
}

/// A line or two for each sweep.
fn heads(comparison: &Comparison) -> String {
    let sweeps = comparison.commands.iter().zip(&comparison.machines).zip(["first: ", "second: "]);
    sweeps
        .map(|((command, machine), which)| {
            paragraph::of(&format!("{} ({})", command.join(" "), place(machine)), which, "  ")
        })
        .collect()
}

fn place(machine: &Where) -> String {
    let model = machine.model.as_deref().unwrap_or("unknown processor");
    let kernel = machine.kernel.as_deref().unwrap_or("unknown");
    format!("{model}, CPUs {}, nodes {}, kernel {kernel}", machine.cpus, machine.nodes)
}

/// What the lines above show already.
fn is_in_head(one: &Differing) -> bool {
    ["command", "machine.model", "machine.kernel", "machine.cpus", "machine.nodes"].contains(&one.what.as_str())
}

fn entries(one: &Both) -> [String; 5] {
    let median = |at: usize| one.medians[at].map(nearfar_sweep::four_digits).unwrap_or_default();
    let percent = |ratio: f64| format!("{:+.1} %", 100.0 * ratio);
    let (ratio, interval) = match one.apart {
        Some(apart) => (
            format!("{}{}", percent(apart.ratio), if apart.real { "" } else { " ?" }),
            format!("{} to {}", percent(apart.ci95[0]), percent(apart.ci95[1])),
        ),
        None => Default::default(),
    };
    [one.id.clone(), median(0), median(1), ratio, interval]
}
