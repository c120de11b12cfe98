//! The numactl family: this program under the names that scripts call, as `nearfar alias` links them.
//!
//! Each has its own options and exit statuses, those of the original, so clap is never asked: [`called_as`] decides by the file
//! name in `argv[0]` before anything else happens.

mod memhog;
mod migratepages;
mod migspeed;
mod numactl;
mod numademo;
mod numastat;
mod outcome;

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;

/// What runs under a name: the words after the name, to an exit status.
pub(crate) type Program = fn(Vec<OsString>) -> ExitCode;

/// The names, and what runs under each.
const FAMILY: &[(&str, Program)] = &[
    ("numactl", numactl::run),
    ("numastat", numastat::run),
    ("migratepages", migratepages::run),
    ("memhog", memhog::run),
    ("migspeed", migspeed::run),
    ("numademo", numademo::run),
];

/// What runs under the name that this program was called by; `None` for its own.
pub(crate) fn called_as(word: Option<&OsStr>) -> Option<Program> {
    let name = Path::new(word?).file_name()?;
    FAMILY.iter().find(|(known, _)| name == *known).map(|&(_, program)| program)
}

/// The names, for the links that lead to them.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    FAMILY.iter().map(|&(name, _)| name)
}
