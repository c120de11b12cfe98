//! The schema of samples, written by hand as their table is.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::json;

use super::Samples;
use super::table::{FIELDS, TREATMENT};

impl JsonSchema for Samples {
    fn schema_name() -> Cow<'static, str> {
        "Samples".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let always: Vec<_> = FIELDS.iter().filter(|(name, _)| *name != TREATMENT).collect();
        let contains: Vec<_> =
            always.iter().map(|(name, _)| json!({ "contains": { "const": name } })).collect();
        json_schema!({
            "description": "Every undisturbed sample, in the order they were taken.",
            "type": "object",
            "required": ["fields", "data"],
            "properties": {
                "fields": {
                    "description": "Names of the values in each line. Fields may be added: \
                                    find them by name. Columns beyond the matrix's are A/A \
                                    controls. Where 'treatment' is missing, it is part of \
                                    the column: column × treatments + treatment.",
                    "type": "array",
                    "items": { "type": "string" },
                    "allOf": contains,
                },
                "data": {
                    "description": "One line a sample, one value a field.",
                    "type": "array",
                    "items": {
                        "type": "array",
                        "minItems": always.len(),
                        "items": { "type": ["number", "null"] },
                    },
                },
            },
        })
    }
}
