//! Integration tests of the crate, in one program.

mod judge;
#[path = "../../../survey/tests/it/published_file.rs"]
mod published_file;
mod schema;
mod text;
