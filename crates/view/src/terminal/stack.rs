//! A stack that is large enough, whatever `ulimit -s` is.

use std::panic::resume_unwind;
use std::process::ExitCode;
use std::thread;

use nix::sys::resource::{Resource, getrlimit};

use crate::terminal::exit::FAILED;
use crate::terminal::output;

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
