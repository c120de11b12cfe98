//! Documents come from anywhere, and terminals obey control characters: none of a document's reaches the screen.

use nearfar_survey::Survey;
use serde_json::Value;

/// The survey with every control character in its texts replaced, and without its raw samples, which no screen shows.
pub(super) fn printable(survey: &Survey) -> Survey {
    let mut copy = survey.clone();
    copy.forget_samples();
    let cleaned = serde_json::to_value(&copy).and_then(|document| serde_json::from_value(clean(document)));
    // A document that was read or made as this type goes through JSON and back.
    cleaned.unwrap_or(copy)
}

fn clean(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(text.replace(char::is_control, "\u{fffd}")),
        Value::Array(values) => values.into_iter().map(clean).collect(),
        Value::Object(entries) => entries.into_iter().map(|(name, value)| (name, clean(value))).collect(),
        other => other,
    }
}
