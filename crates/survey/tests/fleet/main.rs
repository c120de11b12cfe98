//! Integration tests of the crate, in one program.

mod joined_surveys;
mod judged;
mod made_fleet;
mod memory;
#[path = "../it/published_file.rs"]
mod published_file;
mod published_fleet;
mod schema;
