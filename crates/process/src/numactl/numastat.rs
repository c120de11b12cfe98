//! numastat: memory of nodes, and of processes by node.

mod grid;
mod tables;

use std::ffi::{OsStr, OsString};
use std::io::IsTerminal;
use std::path::PathBuf;

use lexopt::prelude::{Long, Short, Value, ValueExt};
use nearfar_machine::Source;
use nearfar_model::NodeId;

use crate::numactl::Completion;
use crate::numactl::Misuse;
use crate::numactl::Printer;
use crate::numactl::error::NumactlError;
use crate::{Counters, ProcessUse, SelectedProcesses};
use tables::{SortBy, TableOptions};

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
    let screen = width();
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

const USUAL: usize = 80;
const LEAST: usize = 32;
/// Far beyond any line: output to files and pipes is not folded.
const UNFOLDED: usize = 10_000_000;

/// The width: `NUMASTAT_WIDTH`, else the terminal's, else unlimited.
fn width() -> usize {
    let width = std::env::var("NUMASTAT_WIDTH").ok();
    let width = match width {
        Some(text) => {
            text.trim().parse().ok().filter(|width| (1..=UNFOLDED).contains(width)).unwrap_or(USUAL)
        }
        None if std::io::stdout().is_terminal() => {
            let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok();
            size.map(|size| usize::from(size.ws_col)).filter(|&width| width > 0).unwrap_or(USUAL)
        }
        None => UNFOLDED,
    };
    width.max(LEAST)
}

#[derive(Debug, Default, PartialEq)]
struct NumastatRequest {
    /// Whether any of numastat's own options was given: without them its oldest table is printed.
    any: bool,
    memory: bool,
    allocations: bool,
    processes: Vec<String>,
    /// How tables look; the width is not an option.
    shape: TableOptions,
    version: bool,
    json: bool,
    root: Option<PathBuf>,
}

impl NumastatRequest {
    fn parse(words: Vec<OsString>) -> Result<Self, Misuse> {
        let (mut request, mut help) = (Self::default(), false);
        let mut parser = lexopt::Parser::from_args(words);
        while let Some(word) = parser.next()? {
            request.any |= !matches!(word, Long("json" | "root"));
            match word {
                Short('c') => request.shape.narrow = true,
                Short('m') => request.memory = true,
                Short('n') => request.allocations = true,
                Short('p') => request.processes.push(parser.value()?.string()?),
                Short('s') => {
                    request.shape.sort = Some(sort_by(parser.optional_value().as_deref()));
                }
                Short('v') => request.shape.verbose = true,
                Short('V') => request.version = true,
                Short('z') => request.shape.skip_zeros = true,
                Short('?' | 'h') | Long("help") => help = true,
                Long("json") => request.json = true,
                Long("root") => request.root = Some(parser.value()?.into()),
                Value(process) => request.processes.push(process.string()?),
                other => return Err(other.unexpected().into()),
            }
        }
        if help { Err(Misuse::HELP) } else { Ok(request) }
    }
}

/// A node's number; anything else sorts by the total, as it always has.
fn sort_by(value: Option<&OsStr>) -> SortBy {
    let number = value.and_then(|value| value.to_str()?.parse().ok());
    number.map_or(SortBy::Total, |number| SortBy::Node(NodeId(number)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(words: &[&str]) -> Result<NumastatRequest, Misuse> {
        NumastatRequest::parse(words.iter().map(Into::into).collect())
    }

    #[test]
    fn options_stand_together_and_between_processes() {
        let all = request(&["-czmn", "qemu", "-s2", "-p", "12", "-v"]).unwrap();
        assert!(
            all.shape.narrow
                && all.shape.skip_zeros
                && all.shape.verbose
                && all.memory
                && all.allocations
                && all.any
        );
        assert_eq!(
            (all.processes, all.shape.sort),
            (vec!["qemu".into(), "12".into()], Some(SortBy::Node(NodeId(2))))
        );
        assert_eq!(request(&["-czs", "kvm"]).unwrap().shape.sort, Some(SortBy::Total));
    }

    #[test]
    fn the_oldest_table_is_the_default() {
        assert!(!request(&[]).unwrap().any);
        assert!(!request(&["--json"]).unwrap().any);
        assert!(request(&["-c"]).unwrap().any);
    }

    #[test]
    fn unknown_options_and_missing_values_are_wrong() {
        assert!(
            request(&["-x"]).is_err()
                && request(&["-p"]).is_err()
                && request(&["--nonsense"]).is_err()
        );
    }
}
