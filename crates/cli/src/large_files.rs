//! Files larger than `ulimit -f` allows.

use std::sync::Arc;

use signal_hook::consts::SIGXFSZ;

/// From here on a file that becomes larger than `ulimit -f` allows is an error of writing it
/// (EFBIG), and does not end this process. A handler, not `SIG_IGN`: programs that are started do
/// not inherit it.
pub(crate) fn outlive() {
    // Where no handler can be had, the signal ends the process as before.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
}
