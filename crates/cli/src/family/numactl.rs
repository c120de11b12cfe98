//! The name `numactl`: `nearfar run` with numactl's options only, and its exit statuses.

use std::ffi::OsString;
use std::process::ExitCode;

use nearfar_launch::Dialect;

use crate::commands::run;

/// Runs it with the words behind its name.
pub(super) fn run(words: Vec<OsString>) -> ExitCode {
    run::follow(words, Dialect::Numactl)
}
