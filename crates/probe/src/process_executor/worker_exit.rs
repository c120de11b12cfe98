//! The error of a worker process: its status or signal, the likely cause, and the end of its
//! stderr.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use crate::probe_error::ProbeError;

/// The bytes of stderr that are kept.
const KEPT_BYTES: usize = 2000;

/// Reads everything, keeps the end.
pub(super) fn last_bytes(source: impl Read) -> Vec<u8> {
    let mut kept = VecDeque::new();
    let mut reader = BufReader::new(source);
    while let Ok(bytes) = reader.fill_buf() {
        let read = bytes.len();
        if read == 0 {
            break;
        }
        kept.extend(bytes);
        reader.consume(read);
        kept.drain(..kept.len().saturating_sub(KEPT_BYTES));
    }
    kept.into()
}

/// The result of an exit status and the end of stderr.
pub(super) fn exit_result(status: ExitStatus, stderr: &[u8]) -> Result<(), ProbeError> {
    let stderr_tail = stderr_tail(stderr);
    match (status.code(), status.signal()) {
        (Some(0), _) => Ok(()),
        (Some(status), _) => Err(ProbeError::WorkerFailed { status, stderr_tail }),
        (None, signal) => {
            let signal = signal.unwrap_or(0);
            Err(ProbeError::WorkerKilled {
                signal: signal_name(signal),
                hint: signal_hint(signal),
                stderr_tail,
            })
        }
    }
}

/// The last line of stderr that is not blank.
fn stderr_tail(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let last = text.lines().map(str::trim).rfind(|line| !line.is_empty());
    last.map_or_else(String::new, |line| format!("; stderr: {line}"))
}

fn signal_name(signal: i32) -> String {
    let name = match signal {
        libc::SIGKILL => "SIGKILL",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGBUS => "SIGBUS",
        libc::SIGILL => "SIGILL",
        libc::SIGABRT => "SIGABRT",
        libc::SIGTERM => "SIGTERM",
        libc::SIGINT => "SIGINT",
        libc::SIGXCPU => "SIGXCPU",
        _ => return format!("signal {signal}"),
    };
    name.to_owned()
}

fn signal_hint(signal: i32) -> &'static str {
    match signal {
        libc::SIGKILL => {
            ": likely out of memory; see the kernel's log, and use less (--size, \
             --largest, --nodes)"
        }
        libc::SIGBUS => ": its memory was removed, or is faulty",
        libc::SIGXCPU => ": the limit on CPU time (ulimit -t) is too low",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_of_stderr_is_kept() {
        let many = vec![b'x'; 100_000];
        assert_eq!(last_bytes(&many[..]).len(), KEPT_BYTES);
        assert_eq!(stderr_tail(b"one\n\ntwo\n \n"), "; stderr: two");
        assert_eq!(stderr_tail(b""), "");
    }
}
