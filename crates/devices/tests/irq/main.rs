//! Integration tests of the crate, in one program.

#[path = "../../../machine/tests/it/corpus_folder.rs"]
#[allow(dead_code)] // other crates use more of it
mod corpus_folder;
mod document_by_hand;
mod findings;
mod folded;
mod large;
mod made_machine;
mod malformed;
mod rss_ladder;
mod text;
mod written;
