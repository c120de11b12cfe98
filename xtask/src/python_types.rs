//! `packages/python/nearfar/_schema.py`: a dataclass for each type of the JSON Schemas.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, ensure};
use serde_json::{Map, Value};

use crate::sources::read;

const FILE: &str = "packages/python/nearfar/_schema.py";

/// Schemas, and the class of each document. A type of several schemas is written once.
const DOCUMENTS: [(&str, &str); 8] = [
    ("schema/nearfar.survey-2.schema.json", "SurveyDocument"),
    ("schema/nearfar.devices-1.schema.json", "DevicesDocument"),
    ("schema/nearfar.irq-1.schema.json", "IrqDocument"),
    ("schema/nearfar.fleet-1.schema.json", "FleetDocument"),
    ("schema/nearfar.top-1.schema.json", "TopDocument"),
    ("schema/nearfar.explain-2.schema.json", "ExplainDocument"),
    ("schema/nearfar.sweep-2.schema.json", "SweepDocument"),
    ("schema/nearfar.doctor-1.schema.json", "DoctorDocument"),
];

const HEAD: &str = "\
# Written by './dev schema' from schema/*.json: do not edit.
# ruff: noqa: E501
\"\"\"Types of nearfar's documents. Each field is None in documents that lack it.\"\"\"

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional

from ._record import Record, record_field
";

pub(crate) fn write(workspace: &Path) -> anyhow::Result<()> {
    Ok(fs::write(workspace.join(FILE), text(workspace)?)?)
}

/// Fails where the file is older than a schema.
pub(crate) fn check(workspace: &Path) -> anyhow::Result<()> {
    let is_current = read(&workspace.join(FILE))? == text(workspace)?;
    ensure!(is_current, "{FILE} is stale: cargo run -p xtask -- json-page");
    Ok(())
}

fn text(workspace: &Path) -> anyhow::Result<String> {
    let mut classes = BTreeMap::new();
    for (path, root) in DOCUMENTS {
        let schema: Value = serde_json::from_str(&read(&workspace.join(path))?)?;
        let definitions =
            schema["$defs"].as_object().with_context(|| format!("{path}: no types"))?;
        let types = PythonTypes(definitions);
        let all = definitions.iter().map(|(name, definition)| (name.as_str(), definition));
        for (name, definition) in all.chain([(root, &schema)]) {
            let Some(class) = types.class(name, definition) else { continue };
            let earlier = classes.entry(name.to_owned()).or_insert_with(|| class.clone());
            ensure!(
                name == root || *earlier == class,
                "{name} of {path} differs in another schema"
            );
        }
    }
    Ok(format!("{HEAD}{}", classes.into_values().collect::<String>()))
}

/// The types of one schema.
struct PythonTypes<'a>(&'a Map<String, Value>);

/// A type in Python: its annotation, and the class of the records in it.
#[derive(Clone, PartialEq)]
struct PythonType {
    annotation: String,
    record: Option<String>,
}

impl PythonType {
    fn plain(annotation: &str) -> Self {
        Self { annotation: annotation.to_owned(), record: None }
    }

    fn within(self, container: &str) -> Self {
        Self { annotation: format!("{container}{}]", self.annotation), ..self }
    }
}

impl PythonTypes<'_> {
    /// The class of a definition; `None` for one without fields.
    fn class(&self, name: &str, definition: &Value) -> Option<String> {
        let fields = self.fields(definition);
        if fields.is_empty() {
            return None;
        }
        let about = definition["description"].as_str().unwrap_or(name);
        let mut text =
            format!("\n\n@dataclass\nclass {name}(Record):\n    {}\n\n", docstring(about));
        for (field, PythonType { annotation, record }) in fields {
            let default = match record {
                Some(record) => format!("record_field(\"{record}\")"),
                None => "None".to_owned(),
            };
            let _ =
                writeln!(text, "    {}: Optional[{annotation}] = {default}", identifier(&field));
        }
        Some(text)
    }

    /// The fields of a definition and of all its variants.
    fn fields(&self, definition: &Value) -> BTreeMap<String, PythonType> {
        let mut fields = BTreeMap::new();
        for (name, property) in definition["properties"].as_object().into_iter().flatten() {
            fields.insert(name.clone(), self.python_type(property));
        }
        let referred = definition["$ref"].as_str().and_then(|path| self.referred(path));
        let variants =
            ["oneOf", "anyOf", "allOf"].iter().filter_map(|key| definition[key].as_array());
        let others = variants.flatten().chain(referred.map(|(_, definition)| definition));
        for (name, found) in others.flat_map(|other| self.fields(other)) {
            let known = fields.entry(name).or_insert_with(|| found.clone());
            if *known != found {
                *known = self.of_both(known, &found);
            }
        }
        fields
    }

    /// The type of a field that variants have with different types: of two records the one with
    /// all fields of the other.
    fn of_both(&self, one: &PythonType, other: &PythonType) -> PythonType {
        let has_all = |one: &PythonType, other: &PythonType| {
            let (Some(own), Some(others)) = (&one.record, &other.record) else { return false };
            let (own_fields, others_fields) =
                (self.fields(&self.0[own.as_str()]), self.fields(&self.0[others.as_str()]));
            one.annotation.replace(own, others) == other.annotation
                && others_fields.iter().all(|(name, kind)| own_fields.get(name) == Some(kind))
        };
        match (has_all(one, other), has_all(other, one)) {
            (true, _) => one.clone(),
            (false, true) => other.clone(),
            (false, false) => PythonType::plain("Any"),
        }
    }

    fn python_type(&self, schema: &Value) -> PythonType {
        if let Some((name, definition)) =
            schema["$ref"].as_str().and_then(|path| self.referred(path))
        {
            return match self.fields(definition).is_empty() {
                true => self.python_type(definition),
                false => PythonType { annotation: name.to_owned(), record: Some(name.to_owned()) },
            };
        }
        for key in ["anyOf", "oneOf"] {
            let Some(variants) = schema[key].as_array() else { continue };
            let mut types: Vec<PythonType> = variants
                .iter()
                .filter(|variant| variant["type"] != "null")
                .map(|variant| self.python_type(variant))
                .collect();
            types.dedup();
            return match &types[..] {
                [one] => one.clone(),
                _ => PythonType::plain("Any"),
            };
        }
        if schema["const"].is_string() || schema["enum"].is_array() {
            return PythonType::plain("str");
        }
        self.of_json_type(schema)
    }

    fn of_json_type(&self, schema: &Value) -> PythonType {
        let first = match &schema["type"] {
            Value::Array(all) => all.iter().find(|one| *one != "null").unwrap_or(&Value::Null),
            one => one,
        };
        match first.as_str() {
            Some("string") => PythonType::plain("str"),
            Some("integer") => PythonType::plain("int"),
            Some("number") => PythonType::plain("float"),
            Some("boolean") => PythonType::plain("bool"),
            Some("array") => self.python_type(&schema["items"]).within("List["),
            Some("object") if schema["additionalProperties"].is_object() => {
                self.python_type(&schema["additionalProperties"]).within("Dict[str, ")
            }
            _ => PythonType::plain("Any"),
        }
    }

    fn referred(&self, path: &str) -> Option<(&str, &Value)> {
        let (name, definition) = self.0.get_key_value(path.rsplit('/').next()?)?;
        Some((name.as_str(), definition))
    }
}

/// Keywords of Python get an underscore.
fn identifier(field: &str) -> String {
    const KEYWORDS: [&str; 7] = ["class", "from", "global", "import", "in", "is", "lambda"];
    let name = field.replace('-', "_");
    if KEYWORDS.contains(&name.as_str()) { name + "_" } else { name }
}

fn docstring(about: &str) -> String {
    let text = about.replace('\\', "\\\\").replace("\"\"\"", "'''").replace('\n', " ");
    let space = if text.ends_with('"') { " " } else { "" };
    format!("\"\"\"{text}{space}\"\"\"")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_definition_is_a_dataclass() {
        let definitions = json!({
            "Cell": { "description": "One cell.", "properties": {
                "median": { "type": ["number", "null"] },
                "from": { "$ref": "#/$defs/State" },
                "reasons": { "type": "array", "items": { "$ref": "#/$defs/Reason" } },
                "dropped": { "type": "object", "additionalProperties": { "type": "integer" } }
            } },
            "State": { "oneOf": [{ "const": "clean" }, { "const": "late" }] },
            "Reason": { "oneOf": [
                { "properties": { "code": { "const": "a" }, "by": { "type": "number" } } },
                { "properties": { "code": { "const": "b" }, "by": { "type": "string" } } }
            ] }
        });
        let definitions = definitions.as_object().unwrap();
        let types = PythonTypes(definitions);
        assert_eq!(types.class("State", &definitions["State"]), None);
        assert_eq!(
            types.class("Cell", &definitions["Cell"]).unwrap(),
            "\n\n@dataclass\nclass Cell(Record):\n    \"\"\"One cell.\"\"\"\n\n    \
             dropped: Optional[Dict[str, int]] = None\n    \
             from_: Optional[str] = None\n    \
             median: Optional[float] = None\n    \
             reasons: Optional[List[Reason]] = record_field(\"Reason\")\n"
        );
        let reason = types.class("Reason", &definitions["Reason"]).unwrap();
        assert!(reason.contains("by: Optional[Any] = None\n    code: Optional[str]"), "{reason}");
    }
}
