//! The cost of starting: as little as numactl's, and most of it the dynamic loader's.

#![cfg(target_env = "gnu")]

use std::process::Command;

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
