//! A type of the schema as text: its description, its fields, its values.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::item;
use crate::text::paragraph;

/// The types of a schema by name.
#[derive(Clone, Copy)]
pub(super) struct Definitions<'a>(pub(super) &'a Map<String, Value>);

/// The types of a schema, each with the path in the document at which its section stands.
pub(super) struct Types<'a> {
    definitions: Definitions<'a>,
    paths: BTreeMap<&'a str, String>,
}

impl<'a> Definitions<'a> {
    /// The types to which a schema refers, with their paths below its own.
    pub(super) fn children(self, schema: &'a Value, path: &str) -> Vec<(&'a str, String)> {
        if let Some(name) = reference(schema) {
            return vec![(name, path.to_owned())];
        }
        let mut found = Vec::new();
        for (name, field) in self.fields(schema) {
            let dot = if path.is_empty() { "" } else { "." };
            found.extend(self.children(field, &format!("{path}{dot}{name}")));
        }
        for variant in self.variants(schema) {
            found.extend(self.children(variant, path));
        }
        if let Some(items) = schema.get("items") {
            found.extend(self.children(items, &format!("{path}[]")));
        }
        if let Some(values) = schema.get("additionalProperties").filter(|one| one.is_object()) {
            found.extend(self.children(values, &format!("{path}.NAME")));
        }
        found
    }

    /// The fields of an object; those of a variant with a type include the type's.
    fn fields(self, schema: &'a Value) -> Vec<(&'a str, &'a Value)> {
        let own = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        let of_type = target(schema).and_then(|name| self.0.get(name));
        let own = own.map(|(name, field)| (name.as_str(), field));
        own.chain(of_type.map(|schema| self.fields(schema)).unwrap_or_default()).collect()
    }

    /// The variants of an enum, with those of the enums that it contains; not those of a field
    /// that may be null.
    fn variants(self, schema: &'a Value) -> Vec<&'a Value> {
        let all = ["oneOf", "anyOf"].into_iter().filter_map(|key| schema.get(key)?.as_array());
        let all: Vec<&Value> = all.flatten().collect();
        if all.iter().any(|variant| variant.get("type").is_some_and(|kind| kind == "null")) {
            return all;
        }
        let nested = |variant| match reference(variant).and_then(|name| self.0.get(name)) {
            Some(inner) if !self.variants(inner).is_empty() => self.variants(inner),
            _ => vec![variant],
        };
        all.into_iter().flat_map(nested).collect()
    }
}

impl<'a> Types<'a> {
    pub(super) fn new(definitions: Definitions<'a>, paths: BTreeMap<&'a str, String>) -> Self {
        Self { definitions, paths }
    }

    /// The description, then the fields, then the values.
    pub(super) fn section(&self, schema: &'a Value) -> String {
        let mut text = paragraph::of(&description(schema), "", "");
        let mut heading = "\n";
        for (name, field) in self.definitions.fields(schema) {
            let about = meaning(field);
            let _ = write!(text, "{heading}{}", item(&self.field(name, field, &about)));
            heading = "";
        }
        let mut heading = "\nValues:\n\n";
        for variant in self.definitions.variants(schema) {
            let _ = write!(text, "{heading}{}", item(&self.variant(variant)));
            heading = "";
        }
        for value in schema.get("enum").and_then(Value::as_array).into_iter().flatten() {
            let value = item(&format!("`{}`", value.as_str().unwrap_or("null")));
            let _ = write!(text, "{heading}{value}");
            heading = "";
        }
        text
    }

    /// "`median` (number or null): Median, ns."
    fn field(&self, name: &str, schema: &'a Value, meaning: &str) -> String {
        format!("`{name}` ({}){meaning}", self.kind(schema))
    }

    fn variant(&self, variant: &'a Value) -> String {
        let fields = self.definitions.fields(variant);
        // The field that names the variant: "code", "how" of a run's end.
        let tag = || fields.iter().find_map(|(_, field)| field.get("const"));
        let about = meaning(variant);
        let value = match (variant.get("const").or_else(tag).and_then(Value::as_str), &fields[..]) {
            (Some(value), _) => format!("`{value}`"),
            (None, []) => self.kind(variant),
            // Named by its only field.
            (None, [(name, field)]) if about.is_empty() => {
                return self.field(name, field, &meaning(field));
            }
            (None, [(name, field)]) => return self.field(name, field, &about),
            (None, _) => "an object".to_owned(),
        };
        let described: Vec<String> = fields
            .iter()
            .filter(|(_, field)| field.get("const").is_none())
            .map(|(name, field)| {
                let about = meaning(field);
                self.field(name, field, about.strip_suffix('.').unwrap_or(&about))
            })
            .collect();
        let with = match (described.is_empty(), about.is_empty()) {
            (true, _) => "",
            (false, true) => ", with ",
            (false, false) => " With ",
        };
        format!("{value}{about}{with}{}", described.join("; "))
    }

    /// The type of a field, in words.
    fn kind(&self, schema: &'a Value) -> String {
        if let Some(name) = reference(schema) {
            let path = self.paths.get(name).map_or("", String::as_str);
            return format!("`{path}`");
        }
        if let Some(value) = schema.get("const").and_then(Value::as_str) {
            return format!("`{value}`");
        }
        let kinds: Vec<String> =
            self.definitions.variants(schema).iter().map(|variant| self.kind(variant)).collect();
        if !kinds.is_empty() {
            return kinds.join(" or ");
        }
        let names = match schema.get("type") {
            Some(Value::String(name)) => vec![name.as_str()],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => return "any".to_owned(),
        };
        let names: Vec<String> = names.iter().map(|name| self.named(name, schema)).collect();
        names.join(" or ")
    }

    fn named(&self, name: &str, schema: &'a Value) -> String {
        let count = schema.get("maxItems").map(|count| format!("{count} of ")).unwrap_or_default();
        match (name, schema.get("items"), schema.get("additionalProperties")) {
            ("array", Some(items), _) if count.is_empty() => {
                format!("list of {}", self.kind(items))
            }
            ("array", Some(items), _) => format!("{count}{}", self.kind(items)),
            ("object", _, Some(values)) if values.is_object() => {
                format!("{} by name", self.kind(values))
            }
            ("object", ..) => {
                let fields = self.definitions.fields(schema);
                let fields = fields.iter().map(|(name, field)| self.field(name, field, ""));
                let fields = fields.collect::<Vec<_>>().join(", ");
                if fields.is_empty() { name.to_owned() } else { format!("object with {fields}") }
            }
            _ => name.to_owned(),
        }
    }
}

/// The type that stands for a whole schema.
fn reference(schema: &Value) -> Option<&str> {
    target(schema).filter(|_| schema.get("properties").is_none())
}

fn target(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix("#/$defs/")
}

/// The description after a colon; nothing without one.
fn meaning(schema: &Value) -> String {
    let text = description(schema);
    if text.is_empty() { text } else { format!(": {text}") }
}

fn description(schema: &Value) -> String {
    let text = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
