//! Runs `nvidia-smi topo -m` with a time limit.

use std::io::{self, ErrorKind, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use nearfar_view::owned_files::{TrustedPrograms, restrict};

/// A driver that starts its GPUs for this takes some seconds; a broken one never answers.
const TIMEOUT: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(10);
/// A matrix of a thousand devices has some 5 MB.
const MAX_BYTES: u64 = 16 << 20;

/// Its output, or why it has none; `None` where it is not installed.
pub(super) fn topology() -> Option<Result<String, String>> {
    let program = match TrustedPrograms::from_this_process().find("nvidia-smi") {
        Ok(program) => program?,
        Err(why) => return Some(Err(why.to_string())),
    };
    let mut command = Command::new(program);
    restrict(&mut command);
    command.args(["topo", "-m"]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    match command.spawn() {
        Ok(child) => Some(output(child, TIMEOUT)),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => Some(Err(format!("it cannot be started: {error}"))),
    }
}

fn output(mut child: Child, timeout: Duration) -> Result<String, String> {
    // Read beside the wait: a full pipe would stop the program.
    let readers = (child.stdout.take().map(reader), child.stderr.take().map(reader));
    let (stdout, stderr) = match (readers.0.transpose(), readers.1.transpose()) {
        (Ok(stdout), Ok(stderr)) => (stdout, stderr),
        (Err(error), _) | (_, Err(error)) => {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("no thread can be started to read its output: {error}"));
        }
    };
    let start = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if start.elapsed() < timeout => thread::sleep(POLL),
            Ok(None) => {
                // Not waited for: in a broken driver it may never end.
                let _ = child.kill();
                let _ = child.try_wait();
                return Err(format!("it gave no answer within {} s", timeout.as_secs_f64()));
            }
            Err(error) => return Err(format!("cannot wait for it: {error}")),
        }
    };
    // A descendant that keeps the pipe open holds nothing up.
    let received = |output: Option<Receiver<String>>| {
        let left = timeout.saturating_sub(start.elapsed());
        output.and_then(|output| output.recv_timeout(left).ok()).unwrap_or_default()
    };
    let (stdout, stderr) = (received(stdout), received(stderr));
    if status.success() {
        return Ok(stdout);
    }
    let streams = [stderr, stdout];
    let reason = streams.iter().flat_map(|text| text.lines()).find(|line| !line.trim().is_empty());
    let code =
        status.code().map_or_else(|| status.to_string(), |code| format!("exit status {code}"));
    Err(reason.map_or_else(|| code.clone(), |reason| format!("{code}: {}", reason.trim())))
}

/// The text of a pipe, once it ends.
fn reader(pipe: impl Read + Send + 'static) -> io::Result<Receiver<String>> {
    let (sender, receiver) = mpsc::channel();
    thread::Builder::new().spawn(move || sender.send(text(pipe)))?;
    Ok(receiver)
}

fn text(pipe: impl Read) -> String {
    let mut bytes = Vec::new();
    // What was read before an error is as much as there is.
    let _ = pipe.take(MAX_BYTES).read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(script: &str, timeout: Duration) -> Result<String, String> {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdout(Stdio::piped()).stderr(Stdio::piped());
        output(command.spawn().unwrap(), timeout)
    }

    #[test]
    fn a_program_that_hangs_is_stopped() {
        let start = Instant::now();
        let why = run("exec sleep 600", Duration::from_millis(50)).unwrap_err();
        assert_eq!(why, "it gave no answer within 0.05 s");
        assert!(start.elapsed() < Duration::from_secs(300));
    }

    #[test]
    fn full_pipes_do_not_block() {
        let text = run("head -c 1000000 /dev/zero | tr '\\0' x; echo >&2 y", TIMEOUT).unwrap();
        assert_eq!(text.len(), 1_000_000);
    }
}
