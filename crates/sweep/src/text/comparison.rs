//! Two sweeps beside each other.

mod findings;
mod judgements;

use nearfar_view::terminal::screen::Screen;
use nearfar_view::terminal::table::{Align, headed};
use nearfar_view::text::fitted::ScreenParts;
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

/// What got faster or slower, then the table of configurations that both have, and what was run
/// where.
pub fn text(comparison: &SweepComparison) -> Screen {
    let sentences: Vec<String> = comparison
        .findings
        .iter()
        .map(|finding| sentence(finding, &comparison.objective))
        .collect();
    let verdict = sentences.first().map_or("nothing is decided", |first| first.as_str());
    let verdict = format!("Compared: {}", verdict.trim_end_matches('.'));
    ScreenParts {
        answer: sentences,
        to_do: Vec::new(),
        sections: vec![configurations(comparison), heads(comparison) + &differences(comparison)],
        verdict,
    }
    .screen()
}

fn configurations(comparison: &SweepComparison) -> String {
    let head = ["configuration", "first", "second", "change", "95 % interval"];
    let mut text =
        headed(head, comparison.configurations.iter().map(entries), &[Align::Left, Align::Right]);
    let mut compared = comparison.configurations.iter();
    if compared.any(|configuration| configuration.apart.is_some_and(|apart| !apart.real)) {
        text += "?: may be chance\n";
    }
    let only_in = comparison.only_in.iter().zip(["first", "second"]);
    for (ids, which) in only_in.filter(|(ids, _)| !ids.is_empty()) {
        text += &paragraph::of(&ids.join(", "), &format!("only in the {which}: "), "  ");
    }
    text
}

fn differences(comparison: &SweepComparison) -> String {
    let differ = comparison.differs.iter().filter(|differ| !is_in_head(differ));
    let line = |differ: &SettingDifference| {
        let (first, second) = (shown(differ, &differ.first), shown(differ, &differ.second));
        let statement = differing::statement(&differ.what, &first, &second);
        paragraph::of(&statement, "differs: ", "  ")
    };
    differ.map(line).collect()
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
