//! Differences of machine and settings between two surveys.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::Survey;

/// A statement that both make, and make otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct MachineDifference {
    /// Of what: a path in the survey, "machine.kernel".
    pub what: String,
    /// The first survey's value; null where it has none.
    pub first: Value,
    /// The second survey's value.
    pub second: Value,
}

/// Counters and moments: they differ always.
const PASSING: [&str; 2] = ["environment.during", "environment.load.average"];
/// Of how each survey was made, what bears on its figures.
const EFFORT: [&str; 2] = ["version", "options"];

/// Every difference, the machine's own first.
pub(super) fn differs(first: &Survey, second: &Survey) -> Vec<MachineDifference> {
    let mut found = Vec::new();
    let [of_first, of_second] = [first, second].map(statements);
    walk("", &of_first, &of_second, &mut found);
    found
}

/// What is compared, as a document.
fn statements(survey: &Survey) -> Value {
    let value = |of: serde_json::Result<Value>| of.unwrap_or_default();
    let diagnosis = value(serde_json::to_value(&survey.claims.diagnosis));
    let claims = serde_json::json!({
        "nodes": value(serde_json::to_value(&survey.claims.nodes)),
        "distances": value(serde_json::to_value(&survey.claims.distances)),
        "hmat": value(serde_json::to_value(&survey.claims.hmat)),
        "diagnosis": diagnosis.get("verdict"),
    });
    let provenance = value(serde_json::to_value(&survey.provenance));
    let effort: Map<String, Value> =
        EFFORT.iter().map(|name| ((*name).to_owned(), provenance[*name].clone())).collect();
    serde_json::json!({
        "machine": value(serde_json::to_value(&survey.machine)),
        "claims": claims,
        "environment": survey.environment,
        "provenance": effort,
    })
}

/// Goes down objects; other values are compared whole.
fn walk(path: &str, first: &Value, second: &Value, found: &mut Vec<MachineDifference>) {
    if first == second || PASSING.contains(&path) {
        return;
    }
    let (Value::Object(mine), Value::Object(other)) = (first, second) else {
        found.push(MachineDifference {
            what: path.to_owned(),
            first: first.clone(),
            second: second.clone(),
        });
        return;
    };
    let new = other.keys().filter(|name| !mine.contains_key(*name));
    for name in mine.keys().chain(new) {
        let below = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        walk(
            &below,
            mine.get(name).unwrap_or(&Value::Null),
            other.get(name).unwrap_or(&Value::Null),
            found,
        );
    }
}
