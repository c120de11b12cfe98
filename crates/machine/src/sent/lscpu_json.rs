//! `lscpu -J`: fields with their values, also nested; `lscpu -J -e`: a line for each CPU.

use serde_json::Value;

use super::cpu_table::CpuTable;
use super::lscpu::Fields;
use super::{json_value, own_document};
use crate::source::MachineFiles;

/// Fields within fields at most.
const MAX_DEPTH: usize = 16;

pub(super) fn begins(line: &str) -> bool {
    line == "{"
        || line.starts_with('{') && own_document::schema(line).is_some()
        || ["{\"lscpu\"", "{ \"lscpu\"", "{\"cpus\""].iter().any(|start| line.starts_with(start))
}

/// Whether a text is that of `lscpu -J -e`.
pub(super) fn is_table(text: &str) -> bool {
    let rest = text.trim_start().strip_prefix('{');
    rest.is_some_and(|rest| rest.trim_start().starts_with("\"cpus\""))
}

/// Reads the first value; more may follow it.
pub(super) fn read(text: &str, files: &mut MachineFiles) -> bool {
    let value = match json_value::first(text) {
        Some(Ok(value)) => value,
        Some(Err(refused)) => {
            let is_own = ["\"lscpu\"", "\"cpus\""].iter().any(|name| text.contains(name));
            files.refused = Some(refused).filter(|_| is_own);
            return false;
        }
        None => return false,
    };
    if let Some(fields) = value.get("lscpu") {
        let mut all = Vec::new();
        collect(fields, &mut all, 0);
        return Fields(all).put(files);
    }
    let Some(cpus) = value.get("cpus").and_then(Value::as_array) else { return false };
    let mut table = CpuTable::default();
    for cpu in cpus.iter().filter_map(Value::as_object) {
        let words: Vec<(String, String)> =
            cpu.iter().map(|(name, value)| (name.clone(), word(value))).collect();
        table.add(words.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    }
    table.put(files)
}

fn word(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        other => other.to_string(),
    }
}

fn collect(fields: &Value, all: &mut Vec<(String, String)>, depth: usize) {
    if depth > MAX_DEPTH {
        return;
    }
    for field in fields.as_array().into_iter().flatten() {
        if let (Some(name), Some(value)) = (field.get("field"), field.get("data")) {
            let name = name.as_str().unwrap_or_default().trim().trim_end_matches(':');
            all.push((name.to_owned(), word(value).trim().to_owned()));
        }
        field.get("children").into_iter().for_each(|inner| collect(inner, all, depth + 1));
    }
}
