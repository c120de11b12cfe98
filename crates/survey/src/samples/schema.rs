//! The schema of samples, written by hand as their table is.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::json;

use super::Samples;
use super::table::FIELDS;

impl JsonSchema for Samples {
    fn schema_name() -> Cow<'static, str> {
        "Samples".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let contains: Vec<_> =
            FIELDS.iter().map(|(name, _)| json!({ "contains": { "const": name } })).collect();
        json_schema!({
            "description": "Every undisturbed sample, in the order they were taken.",
            "type": "object",
            "required": ["fields", "data"],
            "properties": {
                "fields": {
                    "description": "Names of the values in each line. Fields may be added: \
                                    find them by name. Columns beyond the matrix's are A/A \
                                    controls.",
                    "type": "array",
                    "items": { "type": "string" },
                    "allOf": contains,
                },
                "data": {
                    "description": "One line a sample, one value a field.",
                    "type": "array",
                    "items": {
                        "type": "array",
                        "minItems": FIELDS.len(),
                        "items": { "type": ["number", "null"] },
                    },
                },
            },
        })
    }
}
