//! What two sweeps say otherwise of their command, machine and settings: then they may compare
//! different things.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::matching::Pair;
use crate::document::Sweep;

/// A statement that both make, and make otherwise.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Differing {
    /// Of what: "command", "machine.kernel", "settings.prepare", "enforcement", "jobs of unbound".
    pub what: String,
    /// What the first says; null where it says nothing.
    pub first: Value,
    /// What the second says.
    pub second: Value,
}

pub(super) fn differs(first: &Sweep, second: &Sweep, both: &[Pair<'_>]) -> Vec<Differing> {
    let (mine, other) = (statements(first), statements(second));
    let stated = mine.iter().map(|(what, value)| Differing {
        what: what.clone(),
        first: value.clone(),
        second: other.get(what).cloned().unwrap_or_default(),
    });
    let jobs = both.iter().map(|pair| Differing {
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
    all
}
