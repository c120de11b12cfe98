//! Integration tests of the crate, in one program.

#[path = "../../../diagnose/tests/it/arbitrary_machines.rs"]
mod arbitrary_machines;
mod atlas;
mod by_hand;
#[path = "../../../machine/tests/it/cases.rs"]
mod cases;
#[path = "../../../machine/tests/it/corpus_folder.rs"]
#[allow(dead_code)] // other crates use more of it
mod corpus_folder;
mod damaged;
mod devices;
#[path = "../../../devices/tests/it/document_by_hand.rs"]
mod devices_by_hand;
mod diagnosis;
mod disks;
mod explain;
mod explain_judge;
mod export_hwloc;
mod export_kubernetes;
mod export_nccl;
mod export_nccl_round_trip;
mod firmware_corpus;
mod gallery;
mod gpus;
mod hidden_part;
mod hidden_sentences;
mod irq;
#[path = "../../../devices/tests/irq/document_by_hand.rs"]
mod irq_by_hand;
mod irq_set;
mod large;
#[path = "../../../diagnose/tests/it/handmade/machine.rs"]
#[allow(dead_code)] // nearfar-diagnose's own tests use more of it
mod machine_by_hand;
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
#[path = "../../../survey/tests/it/published_file.rs"]
mod published_file;
#[path = "../../../infer/tests/replay/mod.rs"]
pub mod replay;
mod screens;
#[path = "../../../sweep/tests/sketch/mod.rs"]
mod sketch;
mod survey_interrupts;
mod sweep_words;
mod sweeps;
#[path = "../../../view/tests/draw/strange/texts.rs"]
mod texts;
