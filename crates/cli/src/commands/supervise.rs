//! `nearfar supervise`: one run of a sweep. Not for people, so it stands in no help, man page or completion.

use std::ffi::OsString;
use std::io;

/// Whether these arguments start a supervisor.
pub(crate) fn is_meant(args: impl Iterator<Item = OsString>) -> bool {
    args.skip(1).eq(["supervise"])
}

/// Runs one program: a job on standard input, what became of it on standard output.
pub(crate) fn run() -> anyhow::Result<()> {
    Ok(nearfar_sweep::supervise::serve(io::stdin(), io::stdout())?)
}
