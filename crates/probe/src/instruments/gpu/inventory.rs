//! The GPUs of a driver, listed by a process of its own: a static program cannot load the driver's
//! library, and a driver that hangs must not hang the command.

use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::gpu_driver::{GpuApi, GpuIdentity, load_driver};

/// The longest list of GPUs, or complaint of a driver.
const MAX_BYTES: u64 = 16 << 20;

/// A driver, and its GPUs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GpuInventory {
    /// The driver's interface.
    pub api: GpuApi,
    /// The name that its library was loaded by.
    pub library: String,
    /// The version of the interface that it implements.
    pub version: String,
    /// Its GPUs, in its order.
    pub gpus: Vec<GpuIdentity>,
}

impl GpuInventory {
    /// Loads the driver and lists its GPUs; or why that is impossible.
    fn detect(api: Option<GpuApi>) -> Result<Self, String> {
        let driver = load_driver(api).map_err(|error| error.to_string())?;
        let gpus = driver.gpus().map_err(|error| error.to_string())?;
        let (api, library) = (driver.api(), driver.library().to_owned());
        Ok(Self { api, library, version: driver.version(), gpus })
    }
}

/// Lists the GPUs as a line of JSON: what [`read_inventory`] reads.
pub fn write_inventory(api: Option<GpuApi>, mut output: impl Write) -> io::Result<()> {
    serde_json::to_writer(&mut output, &GpuInventory::detect(api))?;
    output.write_all(b"\n")?;
    output.flush()
}

/// Why GPUs are not listed.
#[derive(Debug, thiserror::Error)]
pub enum InventoryError {
    /// The driver, or that there is none.
    #[error("{0}")]
    Driver(String),
    /// The process did not start.
    #[error("cannot start the program that lists GPUs: {0}")]
    Start(io::Error),
    /// The driver did not answer.
    #[error("the GPU driver did not answer within {} s", .0.as_secs())]
    Silent(Duration),
    /// The process ended without an answer: the driver ended it, or it is of another release.
    #[error("the program that lists GPUs failed ({status}){}", after_colon(.stderr))]
    Failed {
        /// Its exit status.
        status: String,
        /// What it wrote.
        stderr: String,
    },
    /// The user interrupted it.
    #[error("interrupted while GPUs were listed")]
    Interrupted,
}

fn after_colon(text: &str) -> String {
    let last = text.trim().lines().last().unwrap_or_default();
    if last.is_empty() { String::new() } else { format!(": {last}") }
}

/// Reads what a command lists by [`write_inventory`]. The process is killed after `timeout`, or
/// when `keep_waiting` returns false.
pub fn read_inventory(
    mut command: Command,
    timeout: Duration,
    keep_waiting: &mut dyn FnMut() -> bool,
) -> Result<GpuInventory, InventoryError> {
    const POLL: Duration = Duration::from_millis(50);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn().map_err(InventoryError::Start)?;
    let (sender, answers) = channel();
    let pipes = (child.stdout.take(), child.stderr.take());
    let reader = thread::Builder::new().spawn(move || {
        // Few bytes: neither pipe fills while the other is read.
        let (mut stdout, mut stderr) = (String::new(), String::new());
        let read = pipes.0.map_or(Ok(0), |pipe| pipe.take(MAX_BYTES).read_to_string(&mut stdout));
        let also = pipes.1.map_or(Ok(0), |pipe| pipe.take(MAX_BYTES).read_to_string(&mut stderr));
        // After a timeout nothing waits for it.
        let _ = sender.send(read.and(also).map(|_| (stdout, stderr)));
    });
    let began = Instant::now();
    let answer = loop {
        let no_more = match answers.recv_timeout(POLL) {
            Ok(answer) => break answer,
            Err(RecvTimeoutError::Disconnected) => break Err(io::ErrorKind::BrokenPipe.into()),
            Err(RecvTimeoutError::Timeout) if !keep_waiting() => InventoryError::Interrupted,
            Err(RecvTimeoutError::Timeout) if began.elapsed() < timeout => continue,
            Err(RecvTimeoutError::Timeout) => InventoryError::Silent(timeout),
        };
        // It may have ended by itself meanwhile.
        let _ = child.kill();
        let _ = child.wait();
        return Err(no_more);
    };
    drop(reader);
    let status = child.wait().map_err(InventoryError::Start)?;
    let (stdout, stderr) = answer.map_err(InventoryError::Start)?;
    match serde_json::from_str::<Result<GpuInventory, String>>(&stdout) {
        Ok(listed) if status.success() => listed.map_err(InventoryError::Driver),
        // Ctrl-C may reach it before it has left the group of this process.
        _ if !keep_waiting() => Err(InventoryError::Interrupted),
        _ => Err(InventoryError::Failed { status: status.to_string(), stderr }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(script: &str, timeout: Duration) -> Result<GpuInventory, InventoryError> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        read_inventory(command, timeout, &mut || true)
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_list_is_read_as_written() {
        let listed = GpuInventory {
            api: GpuApi::Cuda,
            library: "libcuda.so.1".to_owned(),
            version: "12.4".to_owned(),
            gpus: vec![],
        };
        let line = serde_json::to_string(&Ok::<_, String>(&listed)).unwrap();
        assert_eq!(read(&format!("echo '{line}'"), LONG).unwrap(), listed);
    }

    #[test]
    fn failures_are_distinguished() {
        let text = |script, timeout| read(script, timeout).unwrap_err().to_string();
        assert_eq!(text(r#"echo '{"Err":"no driver"}'"#, LONG), "no driver");
        assert_eq!(
            text("echo broken >&2; exit 3", LONG),
            "the program that lists GPUs failed (exit status: 3): broken"
        );
        assert_eq!(text("sleep 1000", Duration::ZERO), "the GPU driver did not answer within 0 s");
        let mut command = Command::new("sleep");
        command.arg("1000");
        let interrupted = read_inventory(command, LONG, &mut || false).unwrap_err();
        assert!(matches!(interrupted, InventoryError::Interrupted));
        let missing = read_inventory(Command::new("/nowhere/nearfar"), LONG, &mut || true);
        assert!(matches!(missing.unwrap_err(), InventoryError::Start(_)));
    }
}
