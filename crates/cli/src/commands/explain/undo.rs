//! Restores what a killed trial left.

use std::path::{Path, PathBuf};

use anyhow::Context;
use nearfar_machine::Source;
use nearfar_process::{LayoutNote, LayoutResult, LayoutUndone};
use nearfar_survey::Store;
use nearfar_view::terminal::output;
use serde::Serialize;

/// A process whose pages were put back.
#[derive(Serialize)]
struct UndoneProcess {
    pid: u32,
    has_ended: bool,
    /// Whether its threads were bound, and its pages stayed.
    of_threads: bool,
    restored_bytes: u64,
    unrestored_bytes: u64,
}

/// Where notes of layouts are: below /run, which is emptied at boot, else in nearfar's folder.
pub(super) fn notes_folder() -> anyhow::Result<PathBuf> {
    if rustix::process::geteuid().is_root() {
        return Ok(nearfar_machine::guard::notes_folder(Path::new(nearfar_machine::guard::RUN)));
    }
    let run = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    match run.filter(|run| run.is_absolute()) {
        Some(run) => Ok(run.join("nearfar")),
        None => {
            let store = Store::from_user().context("no folder for a note of where pages are")?;
            Ok(store.folder().join("notes"))
        }
    }
}

/// Puts pages back, process by process. One that cannot be restored does not keep the others from
/// it.
pub(super) fn run(source: &Source, json: bool) -> anyhow::Result<()> {
    let folder = notes_folder()?;
    let (mut undone, mut first) = (Vec::new(), None);
    for note in LayoutNote::all(&folder)? {
        let undo = |note: LayoutNote| {
            let done = note.undo(source, &folder)?;
            Ok((note.pid, note.is_of_threads(), done))
        };
        let (pid, of_threads, done) = match note.and_then(undo) {
            Ok(one) => one,
            Err(error) => {
                first.get_or_insert(error);
                continue;
            }
        };
        let (result, has_ended) = match done {
            LayoutUndone::Restored(result) => (result, false),
            LayoutUndone::Ended => (LayoutResult::default(), true),
            LayoutUndone::AtWork => continue,
        };
        undone.push(UndoneProcess {
            pid,
            has_ended,
            of_threads,
            restored_bytes: result.placed.0,
            unrestored_bytes: result.elsewhere.0,
        });
    }
    if json {
        output::json(&undone)?;
    } else if undone.is_empty() && first.is_none() {
        output::text("no trial was killed: nothing to put back\n")?;
    } else {
        output::text(&undone.iter().map(line).collect::<String>())?;
    }
    first.map_or(Ok(()), |error| Err(error).context("cannot put pages back"))
}

fn line(process: &UndoneProcess) -> String {
    let pid = process.pid;
    if process.has_ended {
        return format!("process {pid} has ended: nothing to put back\n");
    }
    if process.of_threads {
        return format!("process {pid}: its threads may run where they might before\n");
    }
    let restored = nearfar_model::Bytes(process.restored_bytes);
    let rest = match process.unrestored_bytes {
        0 => String::new(),
        bytes => format!("; {} could not be moved", nearfar_model::Bytes(bytes)),
    };
    format!("process {pid}: {restored} are where they were{rest}\n")
}
