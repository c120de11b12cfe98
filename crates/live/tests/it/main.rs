//! Integration tests of the crate, in one program.

mod columns_page;
#[path = "../../../survey/tests/fleet/published_file.rs"]
mod published_file;
mod written;
