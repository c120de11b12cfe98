//! Integration tests of the crate, in one program.

#[path = "../../../survey/tests/it/published_file.rs"]
mod published_file;
mod schema;
