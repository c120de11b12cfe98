//! The published JSON Schema is the one that the types give.

use std::path::Path;

use crate::published_file::assert_published;

#[test]
fn published_schema_matches_the_types() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema/nearfar.fleet-1.schema.json");
    let schema =
        serde_json::to_string_pretty(&nearfar_survey::fleet::json_schema()).unwrap() + "\n";
    // Parts may be added, never changed.
    assert_published(&path, &schema, "./dev schema");
}
