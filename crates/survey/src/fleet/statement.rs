//! What a survey states of its machine beside figures, as names and values that can be compared.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Map, Value};

use crate::Survey;
use crate::fleet::rounded_memory::rounded_memory;

/// By name: a value, or none where the machine did not let it be read. A statement that is not
/// there was not sent.
pub(crate) type Statements = BTreeMap<String, Option<String>>;

/// Settings that differ always, or are another statement.
const LEFT_OUT: [&str; 4] = ["during", "load.average", "hypervisor", "boot.kernel_version"];
/// The kernel measures this itself; it differs by a little at each boot.
const CLOCK_ESTIMATE: &str = "tsc_early_khz=";

pub(crate) fn statements(survey: &Survey) -> Statements {
    let mut found = Statements::new();
    settings("", &survey.environment, &mut found);
    let mut add = |name: &str, value: Option<String>| {
        found.insert(name.to_owned(), value);
    };
    let machine = &survey.machine;
    add("machine.product", machine.product.clone());
    add("machine.kernel", machine.kernel.clone());
    add("machine.hypervisor", Some(machine.hypervisor.clone().unwrap_or_default()));
    add("machine.packages", Some(machine.packages.to_string()));
    add("machine.nodes", Some(machine.nodes.to_string()));
    add("machine.cores", Some(machine.cores.to_string()));
    add("machine.cpus", Some(machine.cpus.to_string()));
    let memory = machine.memory_bytes.map(|bytes| rounded_memory(bytes).to_string());
    add("machine.memory", memory);
    let claims = &survey.claims;
    let cpus = claims.nodes.iter().map(|node| match node.cpus.is_empty() {
        true => "none".to_owned(),
        false => node.cpus.to_string(),
    });
    add("nodes.cpus", Some(cpus.collect::<Vec<_>>().join(" | ")));
    let distances = serde_json::to_value(&claims.distances).unwrap_or_default();
    add("nodes.distances", text(distances.get("rows").unwrap_or(&Value::Null)));
    if let Some(diagnosis) = &claims.diagnosis {
        add("nodes.diagnosis", text(&diagnosis.verdict));
    }
    let backings: BTreeSet<&str> =
        survey.latency.columns.iter().filter_map(|column| column.backing.as_deref()).collect();
    let backings: Vec<&str> = backings.into_iter().collect();
    add("memory.pages", (!backings.is_empty()).then(|| backings.join(", ")));
    if let Some(bandwidth) = &survey.bandwidth {
        add("memory.dimms", bandwidth.peak.as_ref().map(|peak| peak.dimms.clone()));
    }
    let (provenance, options) = (&survey.provenance, &survey.provenance.options);
    add("survey.version", Some(provenance.version.clone()));
    add("survey.mode", serde_json::to_value(options.mode).ok().as_ref().and_then(text));
    add("survey.rows", Some(options.rows.clone()));
    add("survey.cpus", Some(all_or(options.cpus.as_ref())));
    add("survey.nodes", Some(all_or(options.nodes.as_ref())));
    add("survey.size_bytes", Some(options.size_bytes.to_string()));
    found
}

fn all_or(set: Option<&impl ToString>) -> String {
    set.map_or_else(|| "all".to_owned(), ToString::to_string)
}

/// Goes down objects; other values are compared whole.
fn settings(path: &str, object: &Map<String, Value>, found: &mut Statements) {
    for (name, value) in object {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        match value {
            _ if LEFT_OUT.contains(&path.as_str()) || name == "why" => {}
            Value::Object(inner) => settings(&path, inner, found),
            _ => {
                found.insert(path, text(value));
            }
        }
    }
}

/// A value as it is compared and shown; none of null.
fn text(value: &impl Serialize) -> Option<String> {
    match serde_json::to_value(value).ok()? {
        Value::Null => None,
        Value::String(text) => Some(
            text.split(' ')
                .filter(|word| !word.starts_with(CLOCK_ESTIMATE))
                .collect::<Vec<_>>()
                .join(" "),
        ),
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn settings_have_paths_and_null_is_not_readable() {
        let environment = json!({
            "boot": {"command_line": "quiet tsc_early_khz=7 ro", "kernel_version": "Linux 6"},
            "during": {"steal_ticks": 7},
            "load": {"average": [1.0], "cpu_quota": null},
            "smt": "on"
        });
        let environment = environment.as_object().unwrap().clone();
        let found = statements(&Survey { environment, ..Survey::default() });
        let of = |name: &str| found.get(name).map(Option::as_deref);
        assert_eq!(of("boot.command_line"), Some(Some("quiet ro")));
        assert_eq!(of("load.cpu_quota"), Some(None));
        assert_eq!((of("load.average"), of("boot.kernel_version")), (None, None));
        assert_eq!(of("during.steal_ticks"), None);
        assert_eq!(of("memory.dimms"), None, "bandwidth was not measured");
    }
}
