//! Two sweeps beside each other.

mod findings;
mod judgements;

use nearfar_view::terminal::table::{Align, headed};
use serde::Deserialize;
use serde_json::Value;

use crate::SweepMachine;
use crate::compare::{ComparedConfiguration, SettingDifference, SweepComparison};
use crate::cpusets::Enforcement;

pub use self::findings::sentence;
pub use self::judgements::phrase;
use nearfar_view::text::differing;
use nearfar_view::text::or_empty;
use nearfar_view::text::paragraph;
use nearfar_view::text::percent::changes;

use crate::text::figures::{change, four_digits};
use crate::text::held;

/// What was run where, the table of configurations that both have, and what follows.
pub fn text(comparison: &SweepComparison) -> String {
    let mut text = heads(comparison);
    for differ in comparison.differs.iter().filter(|differ| !is_in_head(differ)) {
        let (first, second) = (shown(differ, &differ.first), shown(differ, &differ.second));
        let statement = differing::statement(&differ.what, &first, &second);
        text += &paragraph::of(&statement, "differs: ", "  ");
    }
    text.push('\n');
    let head = ["configuration", "first", "second", "change", "95 % interval"];
    text +=
        &headed(head, comparison.configurations.iter().map(entries), &[Align::Left, Align::Right]);
    if comparison
        .configurations
        .iter()
        .any(|configuration| configuration.apart.is_some_and(|apart| !apart.real))
    {
        text += "?: not beyond chance (family-wise 5 %)\n";
    }
    for (ids, which) in
        comparison.only_in.iter().zip(["first", "second"]).filter(|(ids, _)| !ids.is_empty())
    {
        text += &paragraph::of(&ids.join(", "), &format!("only in the {which}: "), "  ");
    }
    text.push('\n');
    let sentences =
        comparison.findings.iter().map(|finding| sentence(finding, &comparison.objective));
    text + &paragraph::of(&sentences.collect::<Vec<_>>().join(" "), "", "")
}

/// What held programs stands in words.
fn shown(one: &SettingDifference, value: &Value) -> Value {
    let held = (one.what == "enforcement").then(|| Enforcement::deserialize(value).ok()).flatten();
    held.map_or_else(|| value.clone(), |held| held::sentence(&held).into())
}

/// A line or two for each sweep.
fn heads(comparison: &SweepComparison) -> String {
    let sweeps = comparison.commands.iter().zip(&comparison.machines).zip(["first: ", "second: "]);
    let head = |((command, machine), which): ((&Vec<String>, &SweepMachine), &str)| {
        paragraph::of(&format!("{} ({})", command.join(" "), place(machine)), which, "  ")
    };
    sweeps.map(head).collect()
}

fn place(machine: &SweepMachine) -> String {
    let model = machine.model.as_deref().unwrap_or("unknown processor");
    let kernel = machine.kernel.as_deref().unwrap_or("unknown");
    format!("{model}, CPUs {}, nodes {}, kernel {kernel}", machine.cpus, machine.nodes)
}

/// What the lines above show already.
fn is_in_head(one: &SettingDifference) -> bool {
    ["command", "machine.model", "machine.kernel", "machine.cpus", "machine.nodes"]
        .contains(&one.what.as_str())
}

fn entries(one: &ComparedConfiguration) -> [String; 5] {
    let median = |at: usize| or_empty(one.medians[at].map(four_digits));
    let changed = one.apart.map(|apart| (change(apart.ratio, apart.real), changes(apart.ci95)));
    let (ratio, interval) = changed.unwrap_or_default();
    [one.id.clone(), median(0), median(1), ratio, interval]
}
