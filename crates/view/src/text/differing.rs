//! A fact that differs between two documents.

use serde_json::Value;

use super::paragraph;

/// "machine.kernel: first 6.1.0, second 6.2.0".
pub fn statement(what: &str, first: &Value, second: &Value) -> String {
    let [first, second] = [first, second].map(value);
    format!("{what}: first {first}, second {second}")
}

fn value(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
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
    fn texts_have_no_quotes_and_null_is_none() {
        let kernel = statement("kernel", &json!("6.1"), &json!(null));
        assert_eq!(kernel, "kernel: first 6.1, second none");
        assert_eq!(statement("cpus", &json!(4), &json!("")), "cpus: first 4, second empty");
    }
}
