//! The published JSON Schema is the one that the types give, and documents follow it.

use std::path::Path;

use nearfar_devices::irq::{IrqDocument, json_schema};

use crate::document_by_hand::document;
use crate::made_machine::MadeInterrupts;
use crate::published_file::assert_published;
use crate::schema_names::unknown_names;

#[test]
fn published_schema_matches_the_types() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema/nearfar.irq-1.schema.json");
    let schema = serde_json::to_string_pretty(&json_schema()).unwrap() + "\n";
    // Parts may be added, never changed.
    assert_published(&path, &schema, "./dev schema");
}

#[test]
fn documents_are_read_as_they_were_written() {
    for document in [document(), MadeInterrupts::two_nodes().since_boot()] {
        let text = serde_json::to_string(&document).unwrap();
        assert_eq!(serde_json::from_str::<IrqDocument>(&text).unwrap(), document);
    }
}

#[test]
fn the_schema_has_all_names() {
    let schema = json_schema().to_value();
    let mut value = serde_json::to_value(document()).unwrap();
    assert_eq!(unknown_names(&schema, &value), [""; 0]);
    value["devices"][0]["colour"] = "red".into();
    assert_eq!(unknown_names(&schema, &value), ["devices[0].colour"]);
}
