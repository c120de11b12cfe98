//! Integration tests of the crate, in one program.

#[path = "../../../machine/tests/it/cases.rs"]
mod cases;
#[path = "../../../machine/tests/it/corpus_folder.rs"]
#[allow(dead_code)] // other crates use more of it
mod corpus_folder;
mod findings;
mod large;
mod lstopo;
mod lstopo_console;
mod lstopo_xml;
mod made_machine;
mod malformed;
mod nccl_levels;
mod nccl_topology;
