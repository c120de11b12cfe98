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

/// Instructions at most of `nearfar --version`, without the loader's: it builds no command's
/// options. All options would take ten times as many.
const VERSION_INSTRUCTIONS: f64 = 0.0;
/// The same of `nearfar run`, until the program starts.
const RUN_INSTRUCTIONS: f64 = 0.0;
/// The same of a command's help: it builds that command's options.
const HELP_INSTRUCTIONS: f64 = 0.0;

#[test]
fn a_start_takes_few_instructions() {
    if !has_valgrind() {
        return;
    }
    let starts = [
        (VERSION_INSTRUCTIONS, &["--version"][..]),
        (RUN_INSTRUCTIONS, &["run", "-N", "0", "-m", "0", "--", "/no/such/program"]),
        (HELP_INSTRUCTIONS, &["surveys", "--help"]),
    ];
    for (budget, words) in starts {
        let (instructions, _) = counted(nearfar().as_ref(), words);
        assert!(instructions <= budget, "{words:?}: {instructions} instructions");
    }
}
