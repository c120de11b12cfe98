//! The cost of starting: as little as numactl's, and most of it the dynamic loader's.

#![cfg(target_env = "gnu")]

use std::process::Command;

use crate::growth::{counted, has_valgrind};
use crate::user::nearfar;

/// Loading it takes a tenth of the time in which `nearfar run` starts a program.
#[test]
fn the_program_does_not_load_libgcc_s() {
    let names = |library: &str| {
        let grep = Command::new("grep").args(["-q", "-a", "-F", library, nearfar()]).status();
        grep.expect("grep starts").success()
    };
    assert!(names("libc.so.6"), "a dynamic program names what it needs");
    assert!(!names("libgcc_s.so.1"), "see crates/cli/build.rs");
}

/// Instructions at most of `nearfar --version` in a build for tests. The loader's relocations are
/// most of them, so they grow with the program.
const VERSION: f64 = 5e6;
/// The same of `nearfar run` until the program starts, beyond those of `--version`.
const RUN: f64 = 5e5;
/// The same of a command's help: of that command's options. Those of all commands take 3e7.
const HELP: f64 = 5e6;
/// Bytes at most of code and data in a build for tests; `./dev dist` has the released program's.
const LOADED_BYTES: u64 = 90_000_000;

#[test]
fn a_start_takes_few_instructions() {
    if !has_valgrind() {
        return;
    }
    let [version, run, help] = [
        &["--version"][..],
        &["run", "-N", "0", "-m", "0", "--", "/no/such/program"],
        &["links", "--help"],
    ]
    .map(|words| counted(nearfar().as_ref(), words).0);
    assert!(version <= VERSION, "{version}");
    assert!(run - version <= RUN, "{run} - {version}");
    assert!(help - version <= HELP, "{help} - {version}");
}

#[test]
fn the_program_is_no_larger_than_its_budget() {
    let bytes = std::fs::read(nearfar()).expect("it can be read");
    let file = elf::ElfBytes::<elf::endian::AnyEndian>::minimal_parse(&bytes).expect("ELF");
    let segments = file.segments().expect("a program has segments").iter();
    let loaded = segments.filter(|segment| segment.p_type == elf::abi::PT_LOAD);
    let loaded: u64 = loaded.map(|segment| segment.p_filesz).sum();
    assert!(loaded <= LOADED_BYTES, "{loaded} bytes");
}
