//! Compares predictions with what Linux did.
//!
//! The expectations of `x86.rs`, `hmat.rs` and `options.rs` are lines that Linux 6.1.192 (Debian)
//! logged in QEMU with the same tables: `-m 2G -smp 4 -acpitable file=...`. Those of `oracle.rs`
//! are logs of the corpus; `arm.rs` has the lines of Debian's arm64 kernel with the same device
//! trees.

mod arm;
mod bad_input;
mod board;
#[path = "../../../machine/tests/it/corpus_folder.rs"]
#[allow(dead_code)] // other crates use all of it
mod corpus_folder;
mod doubts;
mod hmat;
mod kept_kinds;
mod options;
mod oracle;
mod real_tables;
mod table;
mod x86;
