//! Integration tests of the crate, in one program.

#[path = "../../../machine/tests/it/corpus_folder.rs"]
#[allow(dead_code)] // other crates use more of it
mod corpus_folder;
mod pasted_matrices;
mod published_matrices;
