//! Documents follow the JSON Schema of their kind, in `schema/`. What is checked: types, constants,
//! required fields, and that each name is known.

use std::path::Path;

use serde_json::{Map, Value};

/// Fails where a text begins with a document of nearfar that does not follow its schema.
pub(crate) fn assert_follows(text: &str) {
    for line in text.lines().filter(|line| line.starts_with("{\"schema\":\"nearfar.")) {
        let Ok(document) = serde_json::from_str::<Value>(line) else { continue };
        let name = document["schema"].as_str().unwrap_or_default().replace('/', "-");
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema").join(name + ".json");
        let schema = std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("{path:?}"));
        let schema: Value = serde_json::from_str(&schema).unwrap();
        // The head of a recording is no interval.
        if document.get("recorded_by").is_none() {
            let fault = Schema(&schema).fault(&schema, &document);
            assert_eq!(fault, None, "{line}");
        }
    }
}

/// A whole schema, with the types in it.
#[derive(Clone, Copy)]
struct Schema<'s>(&'s Value);

impl<'s> Schema<'s> {
    /// What is wrong with a value, with its path.
    fn fault(self, schema: &'s Value, value: &Value) -> Option<String> {
        self.shape_fault(schema, value).or_else(|| self.unknown_name(schema, value))
    }

    fn shape_fault(self, schema: &'s Value, value: &Value) -> Option<String> {
        let wrong = || Some(format!(": {} is not {}", short(value), short(schema)));
        if schema == &Value::Bool(true) {
            return None;
        }
        if schema.get("const").is_some_and(|wanted| wanted != value) || !has_type(schema, value) {
            return wrong();
        }
        let one_of = |key: &str| schema.get(key).and_then(Value::as_array);
        if one_of("enum").is_some_and(|values| !values.contains(value)) {
            return wrong();
        }
        if let Some(fault) = self.target(schema).and_then(|target| self.shape_fault(target, value))
        {
            return Some(fault);
        }
        for variants in ["oneOf", "anyOf"].into_iter().filter_map(one_of) {
            // A name that one variant lacks may be the field of another.
            let faults: Vec<_> =
                variants.iter().map(|variant| self.shape_fault(variant, value)).collect();
            if faults.iter().all(Option::is_some) {
                return faults.into_iter().flatten().max_by_key(String::len);
            }
        }
        match value {
            Value::Object(fields) => self.field_fault(schema, fields),
            Value::Array(items) => {
                let items = items.iter().enumerate();
                let wanted = schema.get("items")?;
                items
                    .into_iter()
                    .find_map(|(at, item)| Some(format!("[{at}]{}", self.fault(wanted, item)?)))
            }
            _ => None,
        }
    }

    fn field_fault(self, schema: &'s Value, fields: &Map<String, Value>) -> Option<String> {
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        let missing = required.filter_map(Value::as_str).find(|name| !fields.contains_key(*name));
        if let Some(name) = missing {
            return Some(format!(".{name} is missing"));
        }
        fields.iter().find_map(|(name, field)| {
            let by_name = schema.get("properties").and_then(|all| all.get(name));
            let wanted = by_name.or_else(|| any_name(schema))?;
            Some(format!(".{name}{}", self.fault(wanted, field)?))
        })
    }

    fn unknown_name(self, schema: &'s Value, value: &Value) -> Option<String> {
        let all = self.expanded(schema);
        let is_open = |one: &&Value| any_name(one).is_some() || *one == &Value::Bool(true);
        let is_object = |one: &&Value| one.get("properties").is_some();
        if all.iter().any(is_open) || !all.iter().any(is_object) {
            return None;
        }
        let is_known = |name: &str| {
            all.iter().any(|one| one.get("properties").is_some_and(|all| all.get(name).is_some()))
        };
        let name = value.as_object()?.keys().find(|name| !is_known(name))?;
        Some(format!(".{name} is not in the schema"))
    }

    /// A schema with those to which it refers and its variants.
    fn expanded(self, schema: &'s Value) -> Vec<&'s Value> {
        let variants = ["oneOf", "anyOf", "allOf"].into_iter();
        let variants = variants.filter_map(|key| schema.get(key)?.as_array()).flatten();
        let inner = variants.chain(self.target(schema));
        std::iter::once(schema).chain(inner.flat_map(|one| self.expanded(one))).collect()
    }

    fn target(self, schema: &Value) -> Option<&'s Value> {
        self.0["$defs"].get(schema.get("$ref")?.as_str()?.strip_prefix("#/$defs/")?)
    }
}

/// The schema of fields with any name.
fn any_name(schema: &Value) -> Option<&Value> {
    let patterns = schema.get("patternProperties").and_then(Value::as_object);
    let others = schema.get("additionalProperties").filter(|one| *one != &Value::Bool(false));
    others.or_else(|| patterns?.values().next())
}

fn has_type(schema: &Value, value: &Value) -> bool {
    let is_it = |name: &Value| match name.as_str() {
        Some("null") => value.is_null(),
        Some("boolean") => value.is_boolean(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_u64() || value.is_i64(),
        Some("number") => value.is_number(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => false,
    };
    match schema.get("type") {
        None => true,
        Some(Value::Array(names)) => names.iter().any(is_it),
        Some(name) => is_it(name),
    }
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(120).collect()
}

#[test]
fn faults_are_found() {
    let survey = include_str!("../../../survey/src/sketch.json").replace('\n', "");
    let survey = survey.replacen("\"schema\": ", "\"schema\":", 1).replacen("{  ", "{", 1);
    assert!(survey.starts_with("{\"schema\":\"nearfar.survey/2\""));
    assert_follows(&survey);
    for (from, to) in [
        ("\"median\":97.0", "\"median\":\"97\""),
        ("\"median\":97.0", "\"medial\":97.0"),
        ("\"numa\":\"yes\"", "\"numa\":\"perhaps\""),
        ("\"seed\":7,", ""),
    ] {
        let damaged = survey.replace(from, to);
        assert!(damaged != survey, "{from}");
        assert!(std::panic::catch_unwind(|| assert_follows(&damaged)).is_err(), "{to}");
    }
}
