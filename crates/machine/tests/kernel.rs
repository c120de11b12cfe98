//! What Linux would make of tables, held against what Linux did make of them.
//!
//! The expectations of `x86.rs`, `hmat.rs` and `options.rs` are lines that Linux 6.1.192 (Debian) logged as QEMU booted it
//! with these very tables: `-m 2G -smp 4 -acpitable file=...`. Those of `oracle.rs` are logs of the corpus; `arm.rs` has the
//! lines of Debian's arm64 kernel booted with these very device trees.

#[path = "kernel/arm.rs"]
mod arm;
#[path = "kernel/bad_input.rs"]
mod bad_input;
#[path = "kernel/board.rs"]
mod board;
#[path = "kernel/doubts.rs"]
mod doubts;
#[path = "kernel/hmat.rs"]
mod hmat;
#[path = "kernel/options.rs"]
mod options;
#[path = "kernel/oracle.rs"]
mod oracle;
#[path = "kernel/real_tables.rs"]
mod real_tables;
#[path = "kernel/table.rs"]
mod table;
#[path = "kernel/x86.rs"]
mod x86;

use std::env;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Once;

/// The corpus folder: `NEARFAR_CORPUS`, unset means `../shared/corpus` of the workspace, empty means none.
fn corpus() -> Option<PathBuf> {
    static SAID: Once = Once::new();
    let folder = match env::var_os("NEARFAR_CORPUS") {
        Some(folder) if folder.is_empty() => None,
        Some(folder) => Some(PathBuf::from(folder)),
        None => Some(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus")).filter(|path| path.is_dir()),
    };
    if folder.is_none() {
        // Past the test harness, which keeps what a passing test prints with `println!`.
        SAID.call_once(|| io::stderr().write_all(b"skipped: no corpus\n").unwrap());
    }
    folder
}
