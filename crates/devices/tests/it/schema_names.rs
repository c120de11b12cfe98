//! Names of a document that its JSON Schema lacks. Tests of other crates include this file.

use serde_json::Value;

/// Paths of the names that the schema does not have, and `PATH: missing NAME` for required ones.
pub(crate) fn unknown_names(schema: &Value, document: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    walk(schema, &[schema], document, "", &mut wrong);
    wrong
}

/// Compares a value with the schemas that it may follow.
fn walk(root: &Value, schemas: &[&Value], value: &Value, path: &str, wrong: &mut Vec<String>) {
    let schemas: Vec<&Value> = schemas.iter().flat_map(|one| expanded(root, one)).collect();
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                let dot = if path.is_empty() { "" } else { "." };
                let path = format!("{path}{dot}{name}");
                let of_name: Vec<&Value> =
                    schemas.iter().filter_map(|one| one.get("properties")?.get(name)).collect();
                if of_name.is_empty() {
                    wrong.push(path);
                } else {
                    walk(root, &of_name, field, &path, wrong);
                }
            }
            // Schemas of one variant are required; those of several are alternatives.
            if let [schema] = schemas[..] {
                let required = schema["required"].as_array().into_iter().flatten();
                let missing =
                    required.filter_map(Value::as_str).filter(|one| !fields.contains_key(*one));
                wrong.extend(missing.map(|name| format!("{path}: missing {name}")));
            }
        }
        Value::Array(values) => {
            let items: Vec<&Value> = schemas.iter().filter_map(|one| one.get("items")).collect();
            for (index, value) in values.iter().enumerate() {
                walk(root, &items, value, &format!("{path}[{index}]"), wrong);
            }
        }
        _ => {}
    }
}

/// A schema with those to which it refers and its variants.
fn expanded<'s>(root: &'s Value, schema: &'s Value) -> Vec<&'s Value> {
    let mut all = vec![];
    let name = schema.get("$ref").and_then(Value::as_str);
    if let Some(name) = name.and_then(|name| name.strip_prefix("#/$defs/")) {
        all.extend(expanded(root, &root["$defs"][name]));
    }
    for variants in ["oneOf", "anyOf"].into_iter().filter_map(|key| schema.get(key)?.as_array()) {
        all.extend(variants.iter().flat_map(|variant| expanded(root, variant)));
    }
    if schema.get("properties").is_some() || schema.get("items").is_some() {
        all.push(schema);
    }
    all
}
