//! Restores what a killed trial left.

use std::path::{Path, PathBuf};

use anyhow::Context;
use nearfar_machine::Source;
use nearfar_process::{LayoutNote, LayoutUndone};
use nearfar_survey::Store;
use nearfar_terminal::output;
use serde::Serialize;

/// A process whose pages were put back.
#[derive(Serialize)]
struct UndoneProcess {
    pid: u32,
    has_ended: bool,
    restored_bytes: u64,
    unrestored_bytes: u64,
}

/// Where notes of layouts are: below /run, which is emptied at boot, else in nearfar's folder.
pub(super) fn notes_folder() -> anyhow::Result<PathBuf> {
    if rustix::process::geteuid().is_root() {
        return Ok(Path::new(nearfar_guard::RUN).join("nearfar"));
    }
    let run = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    match run.filter(|run| run.is_absolute()) {
        Some(run) => Ok(run.join("nearfar")),
        None => {
            let store = Store::of_user().context("no folder for a note of where pages are")?;
            Ok(store.folder().to_owned())
        }
    }
}

/// Puts pages back, process by process.
pub(super) fn run(source: &Source, json: bool) -> anyhow::Result<()> {
    let folder = notes_folder()?;
    let notes = LayoutNote::all(&folder)?;
    let mut undone = Vec::new();
    for note in &notes {
        let done = note.undo(source, &folder);
        let done = done.with_context(|| format!("cannot restore process {}", note.pid))?;
        let (restored, unrestored, has_ended) = match done {
            LayoutUndone::Restored(result) => (result.placed.0, result.elsewhere.0, false),
            LayoutUndone::Ended => (0, 0, true),
            LayoutUndone::AtWork => continue,
        };
        undone.push(UndoneProcess {
            pid: note.pid,
            has_ended,
            restored_bytes: restored,
            unrestored_bytes: unrestored,
        });
    }
    if json {
        return Ok(output::json(&undone)?);
    }
    let lines = undone.iter().map(line).collect::<String>();
    let nothing = "no trial was killed: nothing to put back\n".to_owned();
    Ok(output::text(if lines.is_empty() { &nothing } else { &lines })?)
}

fn line(process: &UndoneProcess) -> String {
    let pid = process.pid;
    if process.has_ended {
        return format!("process {pid} has ended: nothing to put back\n");
    }
    let restored = nearfar_model::Bytes(process.restored_bytes);
    let rest = match process.unrestored_bytes {
        0 => String::new(),
        bytes => format!("; {} could not be moved", nearfar_model::Bytes(bytes)),
    };
    format!("process {pid}: {restored} are where they were{rest}\n")
}
