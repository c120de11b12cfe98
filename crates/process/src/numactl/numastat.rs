//! numastat: memory of nodes, and of processes by node.

mod grid;
mod request;
mod screen;
mod tables;

use std::ffi::OsString;

use nearfar_machine::Source;

use crate::numactl::completion::Completion;
use crate::numactl::error::NumactlError;
use crate::numactl::printer::Printer;
use crate::{Counters, ProcessUse, SelectedProcesses};
use request::NumastatRequest;
use tables::TableOptions;

const USAGE: &str = "\
Usage: numastat [-c] [-m] [-n] [-p <PID>|<pattern>] [-s[<node>]] [-v] [-V] [-z] [ \
                     <PID>|<pattern>... ]
-c to minimize column widths
-m to show meminfo-like system-wide memory usage
-n to show the numastat statistics info
-p <PID>|<pattern> to show process info
-s[<node>] to sort data by total column or <node>
-v to make some reports more verbose
-V to show the numastat code version
-z to skip rows and columns of zeros
--json to print all of it as JSON (nearfar.numastat/1)
--root <path> to read a captured machine";

/// Runs it with the words behind its name.
pub(crate) fn run(
    words: Vec<OsString>,
    printer: &mut Printer<'_>,
) -> Result<Completion, NumactlError> {
    printer.follow(NumastatRequest::parse(words), USAGE, answer)
}

fn answer(
    request: &NumastatRequest,
    printer: &mut Printer<'_>,
) -> Result<Completion, NumactlError> {
    if request.version {
        printer.text(&format!("numastat version: {} (nearfar)\n", env!("CARGO_PKG_VERSION")))?;
        return Ok(Completion::Full);
    }
    let source = match &request.root {
        Some(root) => printer.open(root)?,
        None => Source::live(),
    };
    let mut counters = Counters::read(&source)?;
    let SelectedProcesses { pids, unknown } = SelectedProcesses::find(&source, &request.processes)?;
    for pattern in &unknown {
        printer.complain(format!("Found no processes containing pattern: \"{pattern}\""));
    }
    if !unknown.is_empty() {
        if let Some(fault) = source.proc_fault() {
            printer.complain(fault);
        } else if let Some(by) = source.hidden_by() {
            printer.complain(format!("Some may not be visible: {by}"));
        }
    }
    counters.processes = ProcessUse::read_all(&source, &pids);
    let complete = check_complete(&counters, printer);
    match request.json {
        true => printer.json(&counters)?,
        false => printer.text(&text(request, &counters))?,
    }
    Ok(Completion::full_if(complete && unknown.is_empty()))
}

fn text(request: &NumastatRequest, counters: &Counters) -> String {
    let screen = screen::width();
    if !request.any {
        return tables::plain(counters, screen);
    }
    let shape = TableOptions { screen, ..request.shape };
    let mut text = tables::processes(counters, shape);
    if request.memory {
        text.push_str(&tables::memory(counters, shape));
    }
    if request.allocations || (request.processes.is_empty() && !request.memory) {
        text.push_str(&tables::allocations(counters, shape));
    }
    text
}

/// Reports what could not be read. Figures that are absent stay blank in the tables.
fn check_complete(counters: &Counters, printer: &mut Printer<'_>) -> bool {
    let mut well = true;
    for node in &counters.nodes {
        if node.allocations_pages.is_none() || node.memory_bytes.is_none() {
            printer.complain(format!(
                "node {}: {}",
                node.node,
                node.why.as_deref().unwrap_or("unreadable")
            ));
            well = false;
        }
    }
    for process in counters.processes.iter().filter(|process| process.nodes.is_none()) {
        printer.complain(process.why.as_deref().unwrap_or("a process cannot be read"));
        well = false;
    }
    well
}
