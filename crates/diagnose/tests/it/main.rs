//! Integration tests of the crate, in one program.

mod arbitrary_machines;
mod captures;
mod cloud;
mod corpus;
#[path = "../../../machine/tests/it/corpus_folder.rs"]
mod corpus_folder;
mod garbage;
mod handmade;
mod kernel_logs;
#[path = "../../../firmware/tests/linux/real_tables.rs"]
#[allow(dead_code)] // the kernel's own tests use more of them
mod machine_tables;
#[path = "../../benches/odds/machines.rs"]
#[allow(dead_code)] // the bench uses more of them
mod machines;
mod odds;
mod out_of_memory;
mod posts;
mod real_tables;
mod sent_forms;
#[path = "../../../firmware/tests/linux/table.rs"]
#[allow(dead_code)] // likewise
mod table;
mod text;
