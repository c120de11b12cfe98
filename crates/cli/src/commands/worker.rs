//! `nearfar worker`: a worker process of a survey. Internal, so it has no help, man page or
//! completion.

use std::ffi::OsString;
use std::io;

/// Whether these arguments start a worker.
pub(crate) fn is_meant(args: impl Iterator<Item = OsString>) -> bool {
    args.skip(1).eq(["worker"])
}

/// Measures one batch: a job on standard input, results on standard output.
pub(crate) fn run() -> anyhow::Result<()> {
    nearfar_probe::become_worker();
    Ok(nearfar_probe::serve(io::stdin().lock(), io::stdout())?)
}
