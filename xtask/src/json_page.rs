//! `docs/json.md`, `docs/json-devices.md` and others: a hand-written head, then each type of the
//! document's JSON Schema as a table.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, ensure};
use serde_json::Value;

use crate::json_page::rows::{Definitions, Types};
use crate::sources::read;

mod rows;

/// A page that is made of a schema.
struct SchemaPage {
    schema: &'static str,
    head: &'static str,
    page: &'static str,
}

const PAGES: [SchemaPage; 8] = [
    SchemaPage {
        schema: "schema/nearfar.survey-2.schema.json",
        head: "xtask/src/json_page/survey.md",
        page: "docs/json.md",
    },
    SchemaPage {
        schema: "schema/nearfar.devices-1.schema.json",
        head: "xtask/src/json_page/devices.md",
        page: "docs/json-devices.md",
    },
    SchemaPage {
        schema: "schema/nearfar.irq-1.schema.json",
        head: "xtask/src/json_page/irq.md",
        page: "docs/json-irq.md",
    },
    SchemaPage {
        schema: "schema/nearfar.fleet-1.schema.json",
        head: "xtask/src/json_page/fleet.md",
        page: "docs/json-fleet.md",
    },
    SchemaPage {
        schema: "schema/nearfar.top-1.schema.json",
        head: "xtask/src/json_page/top.md",
        page: "docs/json-top.md",
    },
    SchemaPage {
        schema: "schema/nearfar.explain-2.schema.json",
        head: "xtask/src/json_page/explain.md",
        page: "docs/json-explain.md",
    },
    SchemaPage {
        schema: "schema/nearfar.sweep-2.schema.json",
        head: "xtask/src/json_page/sweep.md",
        page: "docs/json-sweep.md",
    },
    SchemaPage {
        schema: "schema/nearfar.doctor-1.schema.json",
        head: "xtask/src/json_page/doctor.md",
        page: "docs/json-doctor.md",
    },
];

/// The part of a survey whose sections come first: other parts have the same rows and columns.
const FIRST: &str = "latency";

pub(crate) fn write(workspace: &Path) -> anyhow::Result<()> {
    for one in PAGES {
        fs::write(workspace.join(one.page), one.text(workspace)?)?;
    }
    Ok(())
}

/// Fails where a page is older than its schema.
pub(crate) fn check(workspace: &Path) -> anyhow::Result<()> {
    for one in PAGES {
        let is_current = read(&workspace.join(one.page))? == one.text(workspace)?;
        ensure!(is_current, "{} is stale: cargo run -p xtask -- json-page", one.page);
    }
    Ok(())
}

impl SchemaPage {
    fn text(&self, workspace: &Path) -> anyhow::Result<String> {
        let schema: Value = serde_json::from_str(&read(&workspace.join(self.schema))?)?;
        let head = read(&workspace.join(self.head))?;
        let document = render(&schema).with_context(|| format!("{} has no types", self.schema))?;
        Ok(format!("{}\n{document}", head.trim_end()))
    }
}

/// A second path, a third: "answers.gains 2".
fn numbered(path: &str, paths: &BTreeMap<&str, String>) -> String {
    let is_free = |path: &String| paths.values().all(|other| other != path);
    (2..).map(|number| format!("{path} {number}")).find(is_free).unwrap_or_default()
}

fn render(schema: &Value) -> Option<String> {
    let definitions = Definitions(schema.get("$defs")?.as_object()?);
    let mut paths = BTreeMap::new();
    let mut sections = Vec::new();
    let (first, rest): (Vec<_>, Vec<_>) =
        definitions.children(schema, "").into_iter().partition(|(_, path)| path == FIRST);
    let mut ahead: Vec<_> = first.into_iter().chain(rest).rev().collect();
    let mut deferred = Vec::new();
    while let Some((name, path)) = ahead.pop().or_else(|| deferred.pop()) {
        if paths.contains_key(name) {
            continue;
        }
        // Variants have fields of the same name and other types. A section is found by its path.
        let mut path = path;
        if paths.values().any(|other| *other == path) {
            if !ahead.is_empty() {
                deferred.push((name, path));
                continue;
            }
            path = numbered(&path, &paths);
        }
        let definition = definitions.0.get(name)?;
        ahead.extend(definitions.children(definition, &path).into_iter().rev());
        paths.insert(name, path.clone());
        sections.push((path, definition));
    }
    let types = Types::new(definitions, paths);
    let mut text = format!("\n## The document\n\n{}", types.section(schema));
    for (path, definition) in sections {
        let _ = write!(text, "\n### `{path}`\n\n{}", types.section(definition));
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::render;

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
                    "median": { "description": "Median | ns.", "type": ["number", "null"] },
                    "state": { "$ref": "#/$defs/State", "description": "Its state." }
                } },
                "State": { "description": "A state.", "oneOf": [
                    { "const": "clean", "description": "Clean." },
                    { "$ref": "#/$defs/Late", "properties": { "code": { "const": "late" } },
                      "description": "Late." },
                    { "$ref": "#/$defs/Inner" }
                ] },
                "Late": { "properties": { "by": { "type": "number" } } },
                "Inner": { "oneOf": [{ "const": "lost", "description": "Lost." }] }
            }
        });
        assert_eq!(
            render(&schema).unwrap(),
            "\n## The document\n\nA survey.\n\n\
             | field | type | meaning |\n|---|---|---|\n\
             | `again` | [`again`](#again) | The same. |\n\
             | `cells` | list of [`again`](#again) |  |\n\
             \n### `again`\n\nOne cell.\n\n\
             | field | type | meaning |\n|---|---|---|\n\
             | `median` | number or null | Median \\| ns. |\n\
             | `state` | [`again.state`](#againstate) | Its state. |\n\
             \n### `again.state`\n\nA state.\n\n\
             | value | fields | meaning |\n|---|---|---|\n\
             | `clean` |  | Clean. |\n\
             | `late` | `by` (number) | Late. |\n\
             | `lost` |  | Lost. |\n"
        );
    }
}
