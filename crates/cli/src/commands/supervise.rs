//! `nearfar supervise` and `nearfar guard`: processes of a sweep. Internal, so they have no help,
//! man page or completion.

use std::ffi::OsString;
use std::io;

use nearfar_sweep::cpusets::Traces;

/// Runs the process that these arguments start, if they do.
pub(crate) fn done(mut args: impl Iterator<Item = OsString>) -> Option<anyhow::Result<()>> {
    let (word, rest) = (args.nth(1)?, args.next());
    match (word.to_str()?, rest) {
        // Runs one program: a job on standard input, its result on standard output.
        ("supervise", None) => {
            Some(nearfar_sweep::supervise::serve(io::stdin(), io::stdout()).map_err(Into::into))
        }
        // Puts settings back when its standard input closes.
        ("guard", None) => Some(
            nearfar_machine::guard::serve::<Traces>(io::stdin(), io::stdout()).map_err(Into::into),
        ),
        _ => None,
    }
}
