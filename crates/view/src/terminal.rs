//! What the commands of this project share: what they do with a terminal, and how they end.
//!
//! - [`charset`]: signs that the locale has. [`output`]: standard output and standard error.
//!   [`printable`]: untrusted text without control characters. [`screen`]: the answer first, a
//!   pager, the verdict last. [`table`]: aligned columns. [`width`]: the columns that text wraps
//!   to.
//! - [`Interrupt`]: Ctrl-C as a flag.
//! - [`with_enough_stack`]: the main work, whatever `ulimit -s` is.
//! - [`exit`]: statuses, wrong usage, a reader that stopped. [`error_line`]: an error in a line.
//!
//! Nothing here knows what the commands are about.

pub mod charset;
mod error_line;
pub mod exit;
pub mod output;
pub mod printable;
pub mod screen;
pub mod table;
pub mod width;

use std::panic::resume_unwind;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{io, thread};

use nix::sys::resource::{Resource, getrlimit};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use exit::FAILED;

pub use error_line::error_line;

const SIZE: usize = 8 << 20;
/// The limit from which on the first thread does the work: as for other threads of Rust.
const ENOUGH: u64 = 2 << 20;

/// Does the main work, in a thread of its own where the limit of this one's stack is low. Programs
/// that are started inherit the limit as it is.
pub fn with_enough_stack(program: &str, work: impl FnOnce() -> ExitCode + Send) -> ExitCode {
    // Where a filter refuses the call, the limit is taken for the usual one.
    let limit = getrlimit(Resource::RLIMIT_STACK).map(|(limit, _)| limit);
    let Some(limit) = limit.ok().filter(|&limit| limit < ENOUGH) else { return work() };
    thread::scope(|scope| match thread::Builder::new().stack_size(SIZE).spawn_scoped(scope, work) {
        Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
        Err(error) => {
            output::aside(&format!(
                "{program}: the stack may have {} KiB only, and no thread with a larger one \
                     can be started ({error}): raise the limit (ulimit -s 8192)",
                limit >> 10
            ));
            ExitCode::from(FAILED)
        }
    })
}

/// Whether the user wants the command to stop.
#[derive(Clone, Debug)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens from now on. A second signal kills at once.
    pub fn listen() -> io::Result<Self> {
        let (came, again) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            // In this order: one that comes between two of them is noticed, too.
            flag::register(signal, came.clone())?;
            flag::register_conditional_default(signal, again.clone())?;
            flag::register(signal, again.clone())?;
        }
        Ok(Self(came))
    }

    /// True once a signal came.
    pub fn came(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
