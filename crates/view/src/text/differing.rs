//! A fact that differs between two documents.

use serde_json::Value;

use super::paragraph;

/// "machine.kernel: 6.1.0, then 6.2.0".
pub fn statement(what: &str, first: &Value, second: &Value) -> String {
    let [first, second] = [first, second].map(value);
    format!("{what}: {first}, then {second}")
}

fn value(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::String(text) if text.is_empty() => "empty".to_owned(),
        Value::String(text) => paragraph::short(text),
        other => paragraph::short(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_have_no_quotes_and_null_is_nothing() {
        assert_eq!(statement("kernel", &json!("6.1"), &json!(null)), "kernel: 6.1, then nothing");
        assert_eq!(statement("cpus", &json!(4), &json!("")), "cpus: 4, then empty");
    }
}
