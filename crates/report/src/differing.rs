//! What two documents say otherwise of one thing.

use serde_json::Value;

use crate::paragraph;

/// "machine.kernel: 6.1.0, then 6.2.0"; null is nothing.
pub(crate) fn statement(what: &str, first: &Value, second: &Value) -> String {
    let said = |value: &Value| match value {
        Value::Null => "nothing".to_owned(),
        Value::String(text) => paragraph::short(text),
        other => paragraph::short(&other.to_string()),
    };
    format!("{what}: {}, then {}", said(first), said(second))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_stand_without_quotes_and_nothing_is_called_so() {
        assert_eq!(statement("kernel", &json!("6.1"), &json!(null)), "kernel: 6.1, then nothing");
        assert_eq!(statement("cpus", &json!(4), &json!([1, 2])), "cpus: 4, then [1,2]");
    }
}
