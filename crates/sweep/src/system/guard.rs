//! The guard: a process that outlives the sweep by a moment.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use nearfar_machine::{Process, Source};
use serde::{Deserialize, Serialize};
use signal_hook::consts::{SIGHUP, SIGINT, SIGPIPE, SIGTERM};

use super::{Note, Setting, note, restore};
use crate::cpusets::Traces;
use crate::error::SweepError;
use crate::line::{hear, tell};

/// Signals that end others: whoever puts settings back is not ended by them.
const UNHEARD: [i32; 4] = [SIGINT, SIGTERM, SIGHUP, SIGPIPE];

/// The last run of a sweep that was killed may take so long to end.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a guard says when it stands; anything else is why it cannot.
const READY: &str = "ready";
const NOTHING: &str = "nothing was changed";

/// What a guard is told.
#[derive(Debug, Serialize, Deserialize)]
struct Charge {
    before: Setting,
    run: PathBuf,
    cpusets: Option<Traces>,
}

impl Charge {
    /// Puts everything back that this guard was to put back, and removes its note once nothing is
    /// left to do.
    fn put_back(&self, guard: u32) -> Result<(), SweepError> {
        let restored = restore(&self.before, &Source::live());
        if restored.is_ok() {
            note::remove(&self.run, guard);
        }
        self.remove_cpusets();
        restored
    }

    fn remove_cpusets(&self) {
        if let Some(cpusets) = &self.cpusets {
            cpusets.remove(PATIENCE);
        }
    }
}

/// A guard at work. Dropped, it puts everything back, and that is waited for; where it is gone,
/// this process does it.
#[derive(Debug)]
pub struct Guard {
    process: Child,
    charge: Charge,
}

impl Guard {
    /// Starts one over what is set now, and over groups that are made; it is ready, and its note is
    /// written, when this returns.
    pub fn start(
        program: &Path,
        arguments: &[OsString],
        before: &Setting,
        run: &Path,
        cpusets: Option<&Traces>,
    ) -> Result<Self, SweepError> {
        let failed = |error: io::Error| io::Error::other(format!("its guard: {error}"));
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(failed)?;
        let charge =
            Charge { before: before.clone(), run: run.to_owned(), cpusets: cpusets.cloned() };
        child.stdin.as_mut().map_or(Ok(()), |input| tell(input, &charge)).map_err(failed)?;
        let mut ready = String::new();
        if let Some(output) = child.stdout.take() {
            BufReader::new(output).read_line(&mut ready).map_err(failed)?;
        }
        match ready.trim() {
            READY => Ok(Self { process: child, charge }),
            "" => {
                Err(io::Error::other(format!("its guard did not become ready: {NOTHING}")).into())
            }
            why => Err(io::Error::other(format!("its guard: {why}; {NOTHING}")).into()),
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        if !self.process.wait().is_ok_and(|status| status.success()) {
            // Nobody is left to hear of an error; a note stays then.
            let _ = self.charge.put_back(self.process.id());
        }
    }
}

/// The guard's life: hears what is set, waits until nobody holds the other end, puts it back.
pub fn serve(input: impl Read, output: impl Write) -> Result<(), SweepError> {
    // In a session of its own no terminal ends it.
    let _ = rustix::process::setsid();
    for signal in UNHEARD {
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))?;
    }
    let mut input = BufReader::new(input);
    let charge: Charge = hear(&mut input)?;
    watch(&charge, input, output)
}

/// Keeps a note, says that it is ready, waits, and puts everything back.
fn watch(charge: &Charge, input: impl Read, mut output: impl Write) -> Result<(), SweepError> {
    let guard = std::process::id();
    if let Err(why) = keep_note(charge, guard) {
        // Whoever started it tells why.
        say(&mut output, &why.to_string())?;
        charge.remove_cpusets();
        return Ok(());
    }
    // Where nobody is left to hear it, there is all the more to be put back.
    let said = say(&mut output, READY);
    until_closed(input);
    charge.put_back(guard)?;
    Ok(said?)
}

/// A note of what is to be put back, where there is something.
fn keep_note(charge: &Charge, guard: u32) -> Result<(), SweepError> {
    if charge.before.is_empty() {
        return Ok(());
    }
    let started = Process::find(&Source::live(), guard)
        .ok()
        .and_then(|own| own.stat().ok()?.started)
        .unwrap_or(0);
    Note { guard, started, before: charge.before.clone() }.keep(&charge.run).map(drop)
}

fn say(output: &mut impl Write, line: &str) -> io::Result<()> {
    writeln!(output, "{line}")?;
    output.flush()
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

#[cfg(test)]
mod tests {
    use nearfar_machine::KernelSwitch;

    use super::*;

    #[test]
    fn a_guard_that_cannot_keep_its_note_does_not_become_ready() {
        let run = tempfile::tempdir().unwrap();
        // Nothing would change, if it were put back.
        let switch = |switch: KernelSwitch| {
            (switch, switch.saved_value(&Source::live()).unwrap_or_else(|| "off".to_owned()))
        };
        let before = Setting::from(KernelSwitch::ALL.map(switch));
        Note { guard: 7, started: 9, before: before.clone() }.keep(run.path()).unwrap();
        let charge = Charge { before, run: run.path().to_owned(), cpusets: None };
        let mut said = Vec::new();
        watch(&charge, std::io::empty(), &mut said).unwrap();
        let said = String::from_utf8(said).unwrap();
        assert!(said.contains("another sweep's note is there") && !said.contains(READY), "{said}");
    }

    #[test]
    fn what_a_guard_says_in_place_of_ready_is_told() {
        let started = |line: &str| {
            let before = Setting::new();
            Guard::start(
                Path::new("sh"),
                &["-c".into(), line.into()],
                &before,
                Path::new("/nowhere"),
                None,
            )
        };
        let said = |line: &str| started(line).unwrap_err().to_string();
        assert!(said("read x; echo no room").ends_with("its guard: no room; nothing was changed"));
        assert!(said("read x").ends_with("its guard did not become ready: nothing was changed"));
        assert!(started("read x; echo ready; read x").is_ok());
    }
}
