//! The guard: a process that outlives the sweep by a moment.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use nearfar_machine::{Process, Source};
use serde::{Deserialize, Serialize};

use super::{Note, Setting, set};
use crate::cpusets::Traces;
use crate::error::SweepError;

/// Signals that end others: whoever puts settings back is not ended by them.
const UNHEARD: [i32; 4] = [
    signal_hook::consts::SIGINT,
    signal_hook::consts::SIGTERM,
    signal_hook::consts::SIGHUP,
    signal_hook::consts::SIGPIPE,
];

/// The last run of a sweep that was killed may take so long to end.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a guard is told.
#[derive(Debug, Serialize, Deserialize)]
struct Charge {
    before: Setting,
    run: PathBuf,
    cpusets: Option<Traces>,
}

/// A guard at work. Dropped, it puts everything back, and that is waited for.
#[derive(Debug)]
pub struct Guard(Child);

impl Guard {
    /// Starts one over what is set now, and over groups that are made; it is ready, and its note is written, when this returns.
    pub fn start(
        program: &Path,
        arguments: &[OsString],
        before: &Setting,
        run: &Path,
        cpusets: Option<&Traces>,
    ) -> Result<Self, SweepError> {
        let failed = |error: std::io::Error| SweepError::Supervisor(format!("its guard: {error}"));
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(failed)?;
        let charge = Charge { before: before.clone(), run: run.to_owned(), cpusets: cpusets.cloned() };
        let mut line = serde_json::to_vec(&charge).map_err(|error| SweepError::Supervisor(error.to_string()))?;
        line.push(b'\n');
        child.stdin.as_mut().map_or(Ok(()), |input| input.write_all(&line)).map_err(failed)?;
        let mut ready = String::new();
        if let Some(output) = child.stdout.take() {
            BufReader::new(output).read_line(&mut ready).map_err(failed)?;
        }
        match ready.trim() {
            "ready" => Ok(Self(child)),
            _ => Err(SweepError::Supervisor(
                "the guard of system settings did not become ready: nothing was changed".to_owned(),
            )),
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// The guard's life: hears what is set, waits until nobody holds the other end, puts it back.
pub fn serve(input: impl Read, mut output: impl Write) -> Result<(), SweepError> {
    let lost = |error: std::io::Error| SweepError::Supervisor(error.to_string());
    // In a session of its own no terminal ends it.
    let _ = rustix::process::setsid();
    for signal in UNHEARD {
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false))).map_err(lost)?;
    }
    let mut input = BufReader::new(input);
    let mut line = String::new();
    input.read_line(&mut line).map_err(lost)?;
    let charge: Charge = serde_json::from_str(&line).map_err(|error| SweepError::Supervisor(error.to_string()))?;
    let source = Source::live();
    let guard = std::process::id();
    let started = Process::find(&source, guard).ok().and_then(|own| own.stat().ok()?.started).unwrap_or(0);
    let has_settings = !charge.before.is_empty();
    let note = has_settings.then(|| Note { guard, started, before: charge.before.clone() }.keep(&charge.run));
    output.write_all(b"ready\n").and_then(|()| output.flush()).map_err(lost)?;
    until_closed(input);
    let restored = set(&charge.before, &source);
    if let (Ok(()), Some(Ok(path))) = (&restored, note) {
        let _ = std::fs::remove_file(path);
    }
    if let Some(cpusets) = charge.cpusets {
        cpusets.remove(PATIENCE);
    }
    restored
}

/// A signal interrupts reading, and is no end.
fn until_closed(mut input: impl Read) {
    let mut nothing = [0; 64];
    loop {
        match input.read(&mut nothing) {
            Ok(1..) => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Ok(0) | Err(_) => return,
        }
    }
}
