//! Integration tests of the crate, in one program.

mod capture_corpus;
mod cases;
mod corpus;
#[allow(dead_code)] // other crates use more of it
mod corpus_folder;
mod garbage;
mod large;
