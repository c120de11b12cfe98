//! Lines for the shell before and after a run: `--prepare` and `--cleanup`.

use std::io::{self, Read, Seek};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

/// How soon its end, and an interruption, are heeded.
const SHORTEST: Duration = Duration::from_micros(200);
const LONGEST: Duration = Duration::from_millis(20);

/// What came of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Done {
    /// It ended with status 0.
    Well,
    /// It failed.
    Badly {
        /// How it ended.
        status: ExitStatus,
        /// The last line on its standard error.
        said: Option<String>,
    },
    /// Somebody interrupted the sweep meanwhile; the line was ended.
    Stopped,
}

/// Runs the line in a group of its own, however long it takes (`--timeout` is of runs). What it
/// leaves behind, as a server, goes on, and nobody waits for it.
pub(crate) fn run(
    line: &str,
    environment: &[(String, String)],
    is_stopped: &dyn Fn() -> bool,
) -> io::Result<Done> {
    // A file, since a server that it started would hold a pipe open.
    let mut said = tempfile::tempfile()?;
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(said.try_clone()?);
    shell.envs(environment.iter().map(|(name, value)| (name, value))).process_group(0);
    let mut child = shell.spawn()?;
    let mut wait = SHORTEST;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if is_stopped() {
            end(&mut child)?;
            return Ok(Done::Stopped);
        }
        thread::sleep(wait);
        wait = (wait * 2).min(LONGEST);
    };
    if status.success() {
        return Ok(Done::Well);
    }
    let mut text = Vec::new();
    said.rewind()?;
    said.read_to_end(&mut text)?;
    let said = String::from_utf8_lossy(&text).lines().next_back().map(str::to_owned);
    Ok(Done::Badly { status, said })
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

    fn run_line(line: &str, is_stopped: bool) -> Done {
        run(line, &[("WORD".to_owned(), "said".to_owned())], &|| is_stopped).unwrap()
    }

    #[test]
    fn its_status_and_its_last_words_count() {
        assert_eq!(run_line("true", false), Done::Well);
        let failed = run_line("echo one >&2; echo $WORD >&2; exit 3", false);
        assert_eq!(
            failed,
            Done::Badly { status: ExitStatus::from_raw(3 << 8), said: Some("said".to_owned()) }
        );
    }

    #[test]
    fn a_server_that_it_leaves_behind_is_not_waited_for() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let begun = Instant::now();
        let line = format!("sleep 600 >&2 & echo $! >{}", file.path().display());
        assert_eq!(run_line(&line, false), Done::Well);
        assert!(begun.elapsed() < Duration::from_secs(60));
        let pid = std::fs::read_to_string(file.path()).unwrap();
        let kill = format!("kill {}", pid.trim());
        assert!(std::process::Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    }

    #[test]
    fn what_never_ends_is_ended_with_the_sweep() {
        let begun = Instant::now();
        assert_eq!(run_line("sleep 600", true), Done::Stopped);
        assert!(begun.elapsed() < Duration::from_secs(60));
    }
}
