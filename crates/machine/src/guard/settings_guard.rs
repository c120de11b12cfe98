//! The guard: a process that outlives the one that changes settings by a moment.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use nearfar_view::owned_files::Note;
use serde::{Deserialize, Serialize};
use signal_hook::consts::{SIGHUP, SIGINT, SIGPIPE, SIGTERM};

use crate::Source;
use crate::guard::GuardError;
use crate::guard::Leftovers;
use crate::guard::RootedFiles;
use crate::guard::SettingNote;
use crate::guard::start_time;
use crate::guard::values::SettingValues;

/// Signals that would end the guard before it restores settings.
const IGNORED_SIGNALS: [i32; 4] = [SIGINT, SIGTERM, SIGHUP, SIGPIPE];

/// Time for the last program of a killed process to end.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The line of a guard that is ready; any other line is an error.
const READY: &str = "ready";

/// What a guard has to restore and to remove.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "L: Leftovers")]
pub struct GuardTask<L: Leftovers> {
    /// The texts before.
    pub before: SettingValues,
    /// Where the settings are.
    pub files: RootedFiles,
    /// The folder of notes: [`RUN`](crate::guard::RUN).
    pub run: PathBuf,
    /// What else the process leaves.
    pub leftovers: Option<L>,
}

impl<L: Leftovers> GuardTask<L> {
    /// Restores everything, and removes the guard's note once nothing is left to do.
    fn put_back(&self, guard: u32) -> Result<(), GuardError> {
        let source = self.files.source().map_err(GuardError::from);
        let restored = source.and_then(|source| self.before.restore(&self.files, &source));
        if restored.is_ok() {
            SettingNote::remove_own(&self.run, guard);
        }
        self.remove_leftovers();
        restored
    }

    fn remove_leftovers(&self) {
        if let Some(leftovers) = &self.leftovers {
            leftovers.remove(TIMEOUT);
        }
    }
}

/// A guard at work. Dropped, it restores everything, and that is waited for. If it was killed, this
/// process restores.
#[derive(Debug)]
pub struct SettingsGuard<L: Leftovers> {
    process: Child,
    task: GuardTask<L>,
}

impl<L: Leftovers> SettingsGuard<L> {
    /// Starts one by a command that calls [`serve`]. It is ready, and its note is written, when
    /// this returns.
    ///
    /// # Errors
    ///
    /// It does not start, or cannot write its note; the reason.
    pub fn start(mut command: Command, task: GuardTask<L>) -> Result<Self, GuardError> {
        // In a group of its own: Ctrl-C in a terminal does not end it.
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
        let process = match begin(&mut command, &task) {
            // A signal may come before the child has left the group of this process.
            Err(Failure { is_by_signal: true, .. }) => begin(&mut command, &task),
            begun => begun,
        };
        Ok(Self { process: process.map_err(|failure| GuardError::Start(failure.why))?, task })
    }
}

/// Why a guard did not become ready.
struct Failure {
    why: String,
    is_by_signal: bool,
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self { why: error.to_string(), is_by_signal: false }
    }
}

/// Starts a guard, and waits until it is ready.
fn begin<L: Leftovers>(command: &mut Command, task: &GuardTask<L>) -> Result<Child, Failure> {
    let mut child = command.spawn()?;
    let answer = ask(&mut child, task);
    if answer.as_ref().is_ok_and(|line| line.trim() == READY) {
        return Ok(child);
    }
    drop(child.stdin.take());
    let signal = child.wait()?.signal();
    let why = match answer {
        Ok(line) if line.trim().is_empty() => "it did not become ready".to_owned(),
        Ok(line) => line.trim().to_owned(),
        Err(error) => error.to_string(),
    };
    Err(Failure {
        why,
        is_by_signal: signal.is_some_and(|signal| IGNORED_SIGNALS.contains(&signal)),
    })
}

/// Sends a guard its task, and returns its line.
fn ask<L: Leftovers>(child: &mut Child, task: &GuardTask<L>) -> io::Result<String> {
    let mut line = serde_json::to_vec(task)?;
    line.push(b'\n');
    child.stdin.as_mut().map_or(Ok(()), |input| input.write_all(&line))?;
    let mut ready = String::new();
    if let Some(output) = child.stdout.take() {
        BufReader::new(output).read_line(&mut ready)?;
    }
    Ok(ready)
}

impl<L: Leftovers> Drop for SettingsGuard<L> {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        if !self.process.wait().is_ok_and(|status| status.success()) {
            // An error has no reader any more; a note stays then.
            let _ = self.task.put_back(self.process.id());
        }
    }
}

/// The guard's life: reads its task, waits until the input closes, restores.
///
/// # Errors
///
/// A malformed task, or a setting that cannot be restored.
pub fn serve<L: Leftovers>(input: impl Read, output: impl Write) -> Result<(), GuardError> {
    for signal in IGNORED_SIGNALS {
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))?;
    }
    let mut input = BufReader::new(input);
    let mut line = String::new();
    input.read_line(&mut line)?;
    let task: GuardTask<L> = serde_json::from_str(&line).map_err(io::Error::from)?;
    watch(&task, input, output)
}

/// Keeps a note, reports that it is ready, waits, and restores everything.
fn watch<L: Leftovers>(
    task: &GuardTask<L>,
    input: impl Read,
    mut output: impl Write,
) -> Result<(), GuardError> {
    let guard = std::process::id();
    if let Err(why) = keep_note(task, guard) {
        // The process that started it prints the reason.
        send_line(&mut output, &why.to_string())?;
        task.remove_leftovers();
        return Ok(());
    }
    // Settings are restored even if the other process has ended already.
    let sent = send_line(&mut output, READY);
    until_closed(input);
    task.put_back(guard)?;
    Ok(sent?)
}

/// A note of what is to be restored, if there is something.
fn keep_note<L: Leftovers>(task: &GuardTask<L>, guard: u32) -> Result<(), GuardError> {
    if task.before.is_empty() {
        return Ok(());
    }
    let started = start_time(&Source::live(), guard).unwrap_or(0);
    let note = SettingNote { guard, started, before: task.before.clone() };
    Ok(note.keep_new(&SettingNote::path(&task.run))?)
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
    use crate::KernelSwitch;

    use super::*;
    use crate::guard::setting::GuardedSetting;

    fn task(before: SettingValues, run: &std::path::Path) -> GuardTask<()> {
        let files = RootedFiles::below(run);
        GuardTask { before, files, run: run.to_owned(), leftovers: None }
    }

    #[test]
    fn guards_without_a_note_are_not_ready() {
        let run = tempfile::tempdir().unwrap();
        let before =
            [(GuardedSetting::Switch(KernelSwitch::Smt), "on".to_owned())].into_iter().collect();
        let task = task(before, run.path());
        let other = SettingNote { guard: 7, started: 9, before: task.before.clone() };
        other.keep_new(&SettingNote::path(run.path())).unwrap();
        let mut sent = Vec::new();
        watch(&task, std::io::empty(), &mut sent).unwrap();
        let sent = String::from_utf8(sent).unwrap();
        assert!(
            sent.contains("another nearfar's note is there") && !sent.contains(READY),
            "{sent}"
        );
        SettingNote::remove_own(run.path(), 8);
        assert!(SettingNote::path(run.path()).exists(), "it is the other one's");
    }

    #[test]
    fn guard_errors_are_reported() {
        let started = |line: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", line]);
            let run = tempfile::tempdir().unwrap();
            SettingsGuard::start(command, task(SettingValues::default(), run.path()))
        };
        let sent = |line: &str| started(line).unwrap_err().to_string();
        assert!(sent("read x; echo no room").ends_with("settings: no room; nothing was changed"));
        assert!(sent("read x").ends_with("it did not become ready; nothing was changed"));
        assert!(started("read x; echo ready; read x").is_ok());
        let killed_once =
            "[ -e mark ] || { touch mark; kill -INT $$; }; read x; echo ready; read x";
        let folder = tempfile::tempdir().unwrap();
        assert!(started(&format!("cd {}; {killed_once}", folder.path().display())).is_ok());
        let killed = sent("kill -INT $$");
        assert!(killed.starts_with("cannot start the guard"), "{killed}");
    }
}
