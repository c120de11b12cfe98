//! Integration tests of the crate, in one program.

mod doubts;
mod history;
mod joined_surveys;
mod judged;
mod made_fleet;
mod memory;
mod published_file;
mod published_fleet;
mod tables;
