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

use super::{SettingNote, SwitchValues, note, restore};
use crate::cpusets::Traces;
use crate::error::SweepError;
use crate::line::{receive, send};

/// Signals that would end the guard before it restores settings.
const IGNORED_SIGNALS: [i32; 4] = [SIGINT, SIGTERM, SIGHUP, SIGPIPE];

/// Time for the last run of a killed sweep to end.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The line of a guard that is ready; any other line is an error.
const READY: &str = "ready";
const NOTHING: &str = "nothing was changed";

/// What a guard has to restore.
#[derive(Debug, Serialize, Deserialize)]
struct GuardTask {
    before: SwitchValues,
    run: PathBuf,
    cpusets: Option<Traces>,
}

impl GuardTask {
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
            cpusets.remove(TIMEOUT);
        }
    }
}

/// A guard at work. Dropped, it puts everything back, and that is waited for; where it is gone,
/// this process does it.
#[derive(Debug)]
pub struct SettingsGuard {
    process: Child,
    task: GuardTask,
}

impl SettingsGuard {
    /// Starts one over what is set now, and over groups that are made; it is ready, and its note is
    /// written, when this returns.
    pub fn start(
        program: &Path,
        arguments: &[OsString],
        before: &SwitchValues,
        run: &Path,
        cpusets: Option<&Traces>,
    ) -> Result<Self, SweepError> {
        let failed = |error: io::Error| io::Error::other(format!("its guard: {error}"));
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(failed)?;
        let task =
            GuardTask { before: before.clone(), run: run.to_owned(), cpusets: cpusets.cloned() };
        child.stdin.as_mut().map_or(Ok(()), |input| send(input, &task)).map_err(failed)?;
        let mut ready = String::new();
        if let Some(output) = child.stdout.take() {
            BufReader::new(output).read_line(&mut ready).map_err(failed)?;
        }
        match ready.trim() {
            READY => Ok(Self { process: child, task }),
            "" => {
                Err(io::Error::other(format!("its guard did not become ready: {NOTHING}")).into())
            }
            why => Err(io::Error::other(format!("its guard: {why}; {NOTHING}")).into()),
        }
    }
}

impl Drop for SettingsGuard {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        if !self.process.wait().is_ok_and(|status| status.success()) {
            // An error has no reader any more; a note stays then.
            let _ = self.task.put_back(self.process.id());
        }
    }
}

/// The guard's life: reads what is set, waits until the input closes, restores it.
pub fn serve(input: impl Read, output: impl Write) -> Result<(), SweepError> {
    // In a session of its own no terminal ends it.
    let _ = rustix::process::setsid();
    for signal in IGNORED_SIGNALS {
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))?;
    }
    let mut input = BufReader::new(input);
    let task: GuardTask = receive(&mut input)?;
    watch(&task, input, output)
}

/// Keeps a note, reports that it is ready, waits, and restores everything.
fn watch(task: &GuardTask, input: impl Read, mut output: impl Write) -> Result<(), SweepError> {
    let guard = std::process::id();
    if let Err(why) = keep_note(task, guard) {
        // The process that started it prints the reason.
        send_line(&mut output, &why.to_string())?;
        task.remove_cpusets();
        return Ok(());
    }
    // Settings are restored even where the sweep has ended already.
    let sent = send_line(&mut output, READY);
    until_closed(input);
    task.put_back(guard)?;
    Ok(sent?)
}

/// A note of what is to be put back, where there is something.
fn keep_note(task: &GuardTask, guard: u32) -> Result<(), SweepError> {
    if task.before.is_empty() {
        return Ok(());
    }
    let started = Process::find(&Source::live(), guard)
        .ok()
        .and_then(|own| own.stat().ok()?.started)
        .unwrap_or(0);
    SettingNote { guard, started, before: task.before.clone() }.keep(&task.run).map(drop)
}

fn send_line(output: &mut impl Write, line: &str) -> io::Result<()> {
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
    fn guards_without_a_note_are_not_ready() {
        let run = tempfile::tempdir().unwrap();
        // Nothing would change, if it were put back.
        let switch = |switch: KernelSwitch| {
            (switch, switch.saved_value(&Source::live()).unwrap_or_else(|| "off".to_owned()))
        };
        let before = SwitchValues::from(KernelSwitch::ALL.map(switch));
        SettingNote { guard: 7, started: 9, before: before.clone() }.keep(run.path()).unwrap();
        let task = GuardTask { before, run: run.path().to_owned(), cpusets: None };
        let mut sent = Vec::new();
        watch(&task, std::io::empty(), &mut sent).unwrap();
        let sent = String::from_utf8(sent).unwrap();
        assert!(sent.contains("another sweep's note is there") && !sent.contains(READY), "{sent}");
    }

    #[test]
    fn guard_errors_are_reported() {
        let started = |line: &str| {
            let before = SwitchValues::new();
            SettingsGuard::start(
                Path::new("sh"),
                &["-c".into(), line.into()],
                &before,
                Path::new("/nowhere"),
                None,
            )
        };
        let sent = |line: &str| started(line).unwrap_err().to_string();
        assert!(sent("read x; echo no room").ends_with("its guard: no room; nothing was changed"));
        assert!(sent("read x").ends_with("its guard did not become ready: nothing was changed"));
        assert!(started("read x; echo ready; read x").is_ok());
    }
}
