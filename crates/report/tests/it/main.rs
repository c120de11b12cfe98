//! Integration tests of the crate, in one program.

mod atlas;
mod by_hand;
#[path = "../../../machine/tests/it/cases.rs"]
mod cases;
mod contradictions;
#[path = "../../../machine/tests/it/corpus_folder.rs"]
#[allow(dead_code)] // other crates use more of it
mod corpus_folder;
mod damaged;
mod disks;
mod export_hwloc;
mod export_kubernetes;
mod export_nccl;
mod export_nccl_round_trip;
mod first_screens;
mod gallery;
mod gpus;
mod hidden_part;
mod hidden_sentences;
#[path = "../../../devices/tests/irq/document_by_hand.rs"]
mod irq_by_hand;
mod large;
mod machines;
#[path = "../../../devices/tests/it/made_machine.rs"]
#[allow(dead_code)] // nearfar-devices' own tests use more of it
mod made_machine;
mod meaning;
mod measured;
#[path = "../../../devices/tests/it/nccl_topology.rs"]
#[allow(dead_code)] // likewise
mod nccl_topology;
mod numbers;
mod pages;
mod pictures;
mod plans;
mod plans_of_xml;
#[path = "../../../survey/tests/fleet/published_file.rs"]
mod published_file;
#[path = "../../../infer/tests/replay/mod.rs"]
pub mod replay;
mod screens;
mod survey_interrupts;
mod sweeps;
#[path = "../../../view/tests/draw/strange/texts.rs"]
mod texts;
