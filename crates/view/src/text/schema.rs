//! JSON Schemas: as text, a section for each type, and as JSON in lines that a diff can compare.

mod types;

use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::text::paragraph;
use types::{Definitions, Types};

/// The part of a survey whose sections come first: other parts have the same rows and columns.
const FIRST: &str = "latency";
/// Columns of a line of JSON, where its values can be divided.
const COLUMNS: usize = 100;

/// The fields of a document, type by type, as Markdown that is readable on a screen.
pub fn text(schema: &Value) -> String {
    let none = Map::new();
    let definitions = Definitions(schema.get("$defs").and_then(Value::as_object).unwrap_or(&none));
    let sections = sections(definitions, schema);
    let paths = sections.iter().map(|(name, path)| (*name, path.clone())).collect();
    let types = Types::new(definitions, paths);
    let mut text = types.section(schema);
    for (name, path) in sections {
        let Some(definition) = definitions.0.get(name) else { continue };
        let _ = write!(text, "\n## `{path}`\n\n{}", types.section(definition));
    }
    text
}

/// Each type once, with the path in the document at which its section stands.
fn sections<'a>(definitions: Definitions<'a>, schema: &'a Value) -> Vec<(&'a str, String)> {
    let (first, rest): (Vec<_>, Vec<_>) =
        definitions.children(schema, "").into_iter().partition(|(_, path)| path == FIRST);
    let mut ahead: Vec<_> = first.into_iter().chain(rest).rev().collect();
    let (mut deferred, mut found) = (Vec::new(), Vec::<(&str, String)>::new());
    while let Some((name, mut path)) = ahead.pop().or_else(|| deferred.pop()) {
        if found.iter().any(|(known, _)| *known == name) {
            continue;
        }
        // Variants have fields of the same name and other types. A section is found by its path.
        let is_taken = |path: &str| found.iter().any(|(_, known)| known == path);
        if is_taken(&path) {
            if !ahead.is_empty() {
                deferred.push((name, path));
                continue;
            }
            let mut numbers = (2..).map(|number| format!("{path} {number}"));
            path = numbers.find(|path| !is_taken(path)).unwrap_or_default();
        }
        let Some(definition) = definitions.0.get(name) else { continue };
        ahead.extend(definitions.children(definition, &path).into_iter().rev());
        found.push((name, path));
    }
    found
}

/// JSON in which a value has a line of its own, unless the values around it fit on one. Lists and
/// objects without others in them have one line.
pub fn json(value: &Value) -> String {
    let mut text = String::new();
    write_json(value, 0, 0, &mut text);
    text + "\n"
}

/// A value at a depth; `ahead` columns of its line are taken.
fn write_json(value: &Value, depth: usize, ahead: usize, text: &mut String) {
    let short = value.to_string();
    let is_short = depth + ahead + short.len() < COLUMNS || is_flat(value);
    let inner = " ".repeat(depth + 1);
    let mut separator = "\n";
    match value {
        Value::Object(fields) if !is_short && !fields.is_empty() => {
            text.push('{');
            for (name, field) in fields {
                let name = Value::from(name.as_str()).to_string();
                let _ = write!(text, "{separator}{inner}{name}: ");
                write_json(field, depth + 1, name.len() + 2, text);
                separator = ",\n";
            }
            let _ = write!(text, "\n{}}}", " ".repeat(depth));
        }
        Value::Array(items) if !is_short && !items.is_empty() => {
            text.push('[');
            for item in items {
                let _ = write!(text, "{separator}{inner}");
                write_json(item, depth + 1, 0, text);
                separator = ",\n";
            }
            let _ = write!(text, "\n{}]", " ".repeat(depth));
        }
        _ => text.push_str(&short),
    }
}

/// Whether a value has no lists or objects in it, but lists of single values.
fn is_flat(value: &Value) -> bool {
    let is_single = |value: &Value| !value.is_array() && !value.is_object();
    match value {
        Value::Object(fields) => fields.values().all(|field| match field {
            Value::Array(items) => items.iter().all(is_single),
            field => is_single(field),
        }),
        Value::Array(items) => items.iter().all(is_single),
        _ => true,
    }
}

/// Text in lines, after a mark of lists.
fn item(text: &str) -> String {
    paragraph::of(text, "- ", "  ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_type_has_one_section_with_its_fields() {
        let schema = json!({
            "description": "A survey.",
            "properties": {
                "again": { "$ref": "#/$defs/Cell", "description": "The same." },
                "cells": { "items": { "$ref": "#/$defs/Cell" }, "type": "array" }
            },
            "$defs": {
                "Cell": { "description": "One cell.", "properties": {
                    "median": { "description": "Median, ns.", "type": ["number", "null"] },
                    "state": { "$ref": "#/$defs/State", "description": "Its state." }
                } },
                "State": { "description": "A state.", "oneOf": [
                    { "const": "clean", "description": "Clean." },
                    { "$ref": "#/$defs/Late", "properties": { "code": { "const": "late" } },
                      "description": "Late." },
                    { "$ref": "#/$defs/Inner" },
                    { "description": "Of a queue.", "properties": { "queue": {
                        "properties": { "at": { "type": "integer" } }, "type": "object"
                    } } },
                    { "properties": { "a": { "type": "string" }, "b": { "type": "string" } } }
                ] },
                "Late": { "properties": { "by": { "type": "number" } } },
                "Inner": { "oneOf": [{ "const": "lost", "description": "Lost." }] }
            }
        });
        assert_eq!(
            text(&schema),
            "A survey.\n\n\
             - `again` (`again`): The same.\n\
             - `cells` (list of `again`)\n\
             \n## `again`\n\nOne cell.\n\n\
             - `median` (number or null): Median, ns.\n\
             - `state` (`again.state`): Its state.\n\
             \n## `again.state`\n\nA state.\n\nValues:\n\n\
             - `clean`: Clean.\n\
             - `late`: Late. With `by` (number)\n\
             - `lost`: Lost.\n\
             - `queue` (object with `at` (integer)): Of a queue.\n\
             - an object, with `a` (string); `b` (string)\n"
        );
    }

    #[test]
    fn json_is_divided_where_it_is_long() {
        let value =
            json!({"a": {"b": [1, 2]}, "long": {"x": "x".repeat(90)}, "none": [], "of": {}});
        let text = json(&value);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!((lines.len(), lines[1]), (6, r#" "a": {"b":[1,2]},"#), "{text}");
    }
}
