//! Integration tests of the crate, in one program.

mod captured;
#[path = "../../../machine/tests/it/cases.rs"]
mod cases;
#[path = "../../../machine/tests/it/corpus_folder.rs"]
#[allow(dead_code)] // other crates use more of it
mod corpus_folder;
mod document_by_hand;
mod findings;
mod large;
mod lstopo;
mod lstopo_console;
mod lstopo_xml;
mod made_machine;
mod malformed;
mod nccl_levels;
mod nccl_topology;
mod text;
mod written;
