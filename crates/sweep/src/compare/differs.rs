//! Differences of command, machine and settings between two sweeps: then they may compare
//! different things.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::MatchedConfiguration;
use crate::document::Sweep;

/// A fact that differs.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct SettingDifference {
    /// Of what: "command", "machine.kernel", "settings.prepare", "enforcement", "jobs of unbound".
    pub what: String,
    /// The first sweep's value; null where it has none.
    pub first: Value,
    /// The second sweep's value.
    pub second: Value,
}

pub(super) fn differs(
    first: &Sweep,
    second: &Sweep,
    both: &[MatchedConfiguration<'_>],
) -> Vec<SettingDifference> {
    let (mine, other) = (statements(first), statements(second));
    let stated = mine.iter().map(|(what, value)| SettingDifference {
        what: what.clone(),
        first: value.clone(),
        second: other.get(what).cloned().unwrap_or_default(),
    });
    let jobs = both.iter().map(|pair| SettingDifference {
        what: format!("jobs of {}", pair.name),
        first: json!(pair.first.configuration.jobs),
        second: json!(pair.second.configuration.jobs),
    });
    stated.chain(jobs).filter(|one| one.first != one.second).collect()
}

/// The command first, and what bears on figures.
fn statements(sweep: &Sweep) -> Map<String, Value> {
    let mut all = Map::from_iter([("command".to_owned(), json!(sweep.command))]);
    let parts = [
        ("machine", serde_json::to_value(&sweep.machine)),
        ("settings", serde_json::to_value(&sweep.settings)),
    ];
    for (part, value) in parts {
        if let Ok(Value::Object(members)) = value {
            all.extend(members.into_iter().map(|(name, value)| (format!("{part}.{name}"), value)));
        }
    }
    all.insert("enforcement".to_owned(), json!(sweep.enforcement));
    let interrupts = sweep.interrupts.as_ref();
    all.insert("interrupts of".to_owned(), json!(interrupts.map(|interrupt| &interrupt.device)));
    let cpus =
        |name: &str| interrupts.and_then(|interrupts| Some(&interrupts.targets.get(name)?.cpus));
    for name in ["near", "far"] {
        all.insert(format!("interrupts set {name}"), json!(cpus(name)));
    }
    all
}
