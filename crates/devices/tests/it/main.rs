//! Integration tests of the crate, in one program.

mod document_by_hand;
#[path = "../../../survey/tests/it/published_file.rs"]
mod published_file;
mod schema;
mod schema_names;
