//! `--watch`: runs the program, samples the pages of its processes for two seconds, reports their
//! nodes, and ends with the program's exit status.

use std::ffi::OsString;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use nearfar_machine::Source;
use nearfar_process::launch::{MemoryByNode, Placement, Watched};
use nearfar_process::{ProcessMemory, with_descendants_at_a_glance};
use nearfar_view::terminal::output;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use super::execute::NotRun;
use super::failure::NotLaunched;
use super::signals::{self, CaughtSignals};

/// Time during which the program is sampled.
const MOMENT: Duration = Duration::from_secs(2);
/// Pause between two samples: short enough for short programs, long enough not to disturb.
const PAUSE: Duration = Duration::from_millis(40);

/// Starts the program, which inherits the placement, and watches it.
pub(super) fn watch(
    command: &[OsString],
    placement: &Placement,
    json: bool,
) -> Result<ExitCode, NotLaunched> {
    let caught = CaughtSignals::begin().context("cannot catch signals")?;
    let (program, arguments) = command.split_first().context("there is no program to watch")?;
    let started = Instant::now();
    let mut child = Command::new(program)
        .args(arguments)
        .spawn()
        .map_err(|error| NotRun::new(program, error))?;
    let pid = Pid::from_child(&child);
    // Without a thread, signals are not passed on; the program runs nevertheless.
    let handle = caught.pass_on_to(pid);
    if let Err(error) = &handle {
        output::aside(&format!(
            "nearfar: signals are not passed on: a thread cannot be started: {error}"
        ));
    }
    let fullest = sample(child.id(), pid, started);
    report(&Watched::new(placement, child.id(), &fullest), json);
    let _ = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
    if let Ok(handle) = handle {
        handle.close();
    }
    Ok(reaped(&mut child)?)
}

/// The sample with the most pages; at least one is taken, however long the start took.
fn sample(id: u32, pid: Pid, started: Instant) -> MemoryByNode {
    let source = Source::live();
    let mut fullest = MemoryByNode::default();
    loop {
        let began = Instant::now();
        let seen = see(&source, id, started);
        if seen.total() >= fullest.total() {
            fullest = seen;
        }
        // Reading many mappings takes long: half of the time is left to the program.
        thread::sleep(PAUSE.max(began.elapsed()));
        if started.elapsed() >= MOMENT || has_ended(pid) {
            return fullest;
        }
    }
}

/// The pages of the program and its descendants, now.
fn see(source: &Source, id: u32, started: Instant) -> MemoryByNode {
    let mut seen = MemoryByNode { after: started.elapsed(), ..MemoryByNode::default() };
    for pid in with_descendants_at_a_glance(source, id) {
        let Ok(memory) = ProcessMemory::read(source, pid) else { continue };
        seen.processes += 1;
        for (node, bytes) in memory.by_node().iter() {
            let sum = seen.nodes.entry(node).or_default();
            *sum = *sum + bytes;
        }
    }
    seen
}

fn has_ended(pid: Pid) -> bool {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    !matches!(waitid(WaitId::Pid(pid), look), Ok(None))
}

/// On stderr, since stdout is the program's. A failure cannot be reported anywhere.
fn report(watched: &Watched, json: bool) {
    let text = if json {
        nearfar_model::json_line(watched).unwrap_or_default()
    } else {
        nearfar_process::launch::text::watch::text(watched)
    };
    let _ = std::io::stderr().write_all(text.as_bytes());
}

fn reaped(child: &mut Child) -> anyhow::Result<ExitCode> {
    let status = child.wait().context("cannot wait for the program")?;
    Ok(passed_on(status))
}

fn passed_on(status: ExitStatus) -> ExitCode {
    if let Some(signal) = status.signal() {
        signals::end_by(signal);
        return ExitCode::from(u8::try_from(128 + signal).unwrap_or(255));
    }
    ExitCode::from(u8::try_from(status.code().unwrap_or(1)).unwrap_or(1))
}
