//! Lines for the shell before and after a run: `--prepare` and `--cleanup`.

use std::io::{self, Read, Seek};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

use crate::record::last_line_of;

/// How soon its end, and an interruption, are heeded.
const SHORTEST: Duration = Duration::from_micros(200);
const LONGEST: Duration = Duration::from_millis(20);

/// What came of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HookResult {
    /// It ended with status 0.
    Succeeded,
    /// It failed.
    Failed {
        /// How it ended.
        status: ExitStatus,
        /// The last line on its standard error.
        last_line: Option<String>,
    },
    /// The sweep was interrupted meanwhile; the line was ended.
    Stopped,
}

/// Runs the line in a group of its own, however long it takes (`--timeout` is of runs). What it
/// leaves behind, as a server, goes on, and is not waited for.
pub(crate) fn run(
    line: &str,
    environment: &[(String, String)],
    is_stopped: &dyn Fn() -> bool,
) -> io::Result<HookResult> {
    // A file, since a server that it started would hold a pipe open.
    let mut stderr = tempfile::tempfile()?;
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", line]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr.try_clone()?);
    shell.envs(environment.iter().map(|(name, value)| (name, value))).process_group(0);
    let mut child = shell.spawn()?;
    let mut wait = SHORTEST;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if is_stopped() {
            end(&mut child)?;
            return Ok(HookResult::Stopped);
        }
        thread::sleep(wait);
        wait = (wait * 2).min(LONGEST);
    };
    if status.success() {
        return Ok(HookResult::Succeeded);
    }
    // Ctrl-C may reach it before it has left the group of this process.
    if is_stopped() {
        return Ok(HookResult::Stopped);
    }
    let mut text = Vec::new();
    stderr.rewind()?;
    stderr.read_to_end(&mut text)?;
    let last_line = last_line_of(&String::from_utf8_lossy(&text));
    Ok(HookResult::Failed { status, last_line })
}

fn end(child: &mut Child) -> io::Result<()> {
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    child.wait().map(drop)
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::time::Instant;

    use super::*;

    fn run_line(line: &str, is_stopped: bool) -> HookResult {
        run(line, &[("WORD".to_owned(), "failed".to_owned())], &|| is_stopped).unwrap()
    }

    #[test]
    fn failed_hooks_have_status_and_last_line() {
        assert_eq!(run_line("true", false), HookResult::Succeeded);
        let failed = run_line("echo one >&2; echo $WORD >&2; exit 3", false);
        assert_eq!(
            failed,
            HookResult::Failed {
                status: ExitStatus::from_raw(3 << 8),
                last_line: Some("failed".to_owned())
            }
        );
    }

    #[test]
    fn servers_are_not_waited_for() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let begun = Instant::now();
        let line = format!("sleep 600 >&2 & echo $! >{}", file.path().display());
        assert_eq!(run_line(&line, false), HookResult::Succeeded);
        assert!(begun.elapsed() < Duration::from_secs(60));
        let pid = std::fs::read_to_string(file.path()).unwrap();
        let kill = format!("kill {}", pid.trim());
        assert!(std::process::Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    }

    #[test]
    fn endless_hooks_end_with_the_sweep() {
        let begun = Instant::now();
        assert_eq!(run_line("sleep 600", true), HookResult::Stopped);
        assert!(begun.elapsed() < Duration::from_secs(60));
    }
}
