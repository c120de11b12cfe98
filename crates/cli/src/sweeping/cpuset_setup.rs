//! What a sweep does to the machine, and how it is undone: cpusets around runs, settings that are
//! switched, and the guard over both.

use std::path::Path;

use anyhow::Context;
use nearfar_machine::{CpusetParent, Process, Source, Topology};
use nearfar_sweep::Sweep;
use nearfar_sweep::cpusets::{
    Bounds, CpusetError, Cpusets, Enforcement, Traces, remove_left_behind,
};
use nearfar_sweep::system::{NoteState, SettingNote, SettingsGuard, noted};
use nearfar_terminal::exit::WrongUsage;
use nearfar_terminal::output;

/// Where notes lie that a restart makes void.
const RUN: &str = "/run";

/// Cpusets, where they are wanted and can be had; the document records the result.
pub(super) fn cpusets(
    document: &mut Sweep,
    source: &Source,
    topology: &Topology,
) -> Option<Cpusets> {
    let made = match document.settings.cpusets {
        true => made(source, topology),
        false => Err(CpusetError::Unwanted),
    };
    let had = made.as_ref().map(Cpusets::interface).map_err(Clone::clone);
    document.enforcement =
        Some(Enforcement::from_cpusets(had).after(document.enforcement.as_ref()));
    made.ok()
}

fn made(source: &Source, topology: &Topology) -> Result<Cpusets, CpusetError> {
    let home = CpusetParent::find(source)
        .map_err(|error| CpusetError::NoHome { error: error.to_string() })?;
    let is_there = |pid, started| is_there(source, pid, started);
    if remove_left_behind(Path::new(&home.folder), is_there) > 0 {
        output::aside(
            "nearfar: removed cpusets that an earlier sweep had left when it was killed with its \
             guard",
        );
    }
    let pid = std::process::id();
    let owner = Traces::owner(pid, started(source, pid).unwrap_or(0));
    // Whatever the sweep itself may use can be had by its programs, if anything can.
    let all = Bounds { cpus: topology.allowed.cpus.clone(), nodes: topology.allowed.nodes.clone() };
    Cpusets::begin(home, owner, &all)
}

/// Puts back what an earlier sweep left. A sweep that switches settings waits for another one that
/// does: each would take the other's for what was set before.
pub(super) fn settle(source: &Source, switches: bool) -> anyhow::Result<()> {
    match noted(Path::new(RUN), |pid, started| is_there(source, pid, started)) {
        Some(NoteState::AtWork(note)) if switches => {
            let guard = note.guard;
            let why = "switches settings of this machine: wait until it has ended";
            Err(WrongUsage(format!("another sweep (guard {guard}) {why}")).into())
        }
        Some(NoteState::AtWork(note)) => {
            output::aside(&format!(
                "nearfar: another sweep (guard {}) switches settings meanwhile",
                note.guard
            ));
            Ok(())
        }
        Some(NoteState::LeftBehind(file, note)) => match put_back(&file, &note, source) {
            // It runs as well as any other program here.
            Err(why) if !switches => {
                output::aside(&format!("nearfar: {why:#}"));
                Ok(())
            }
            done => done,
        },
        None => Ok(()),
    }
}

fn put_back(file: &Path, note: &SettingNote, source: &Source) -> anyhow::Result<()> {
    nearfar_sweep::system::restore(&note.before, source).context(
        "an earlier sweep was killed with its guard, and left settings of this machine changed",
    )?;
    let _ = std::fs::remove_file(file);
    output::aside(
        "nearfar: restored settings that a sweep had left when it was killed with its guard",
    );
    Ok(())
}

/// A guard over what the sweep changes, where it changes something.
pub(super) fn guard(
    document: &Sweep,
    program: &Path,
    source: &Source,
    cpusets: Option<&Traces>,
) -> anyhow::Result<Option<SettingsGuard>> {
    let switches = document.axes.system.keys().copied();
    let before = nearfar_sweep::system::now(switches, source);
    let is_needed = !before.is_empty() || cpusets.is_some();
    let run = Path::new(RUN);
    let guard =
        is_needed.then(|| SettingsGuard::start(program, &["guard".into()], &before, run, cpusets));
    Ok(guard.transpose()?)
}

fn is_there(source: &Source, pid: u32, when: u64) -> bool {
    started(source, pid) == Some(when)
}

/// When a process was started; none once it is gone.
fn started(source: &Source, pid: u32) -> Option<u64> {
    Process::find(source, pid).and_then(|process| process.stat()).ok()?.started
}
