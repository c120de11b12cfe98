//! The name `numastat`: what nodes hold, and what processes have on them.

use std::ffi::{OsStr, OsString};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

use lexopt::prelude::{Long, Short, Value, ValueExt};
use nearfar_machine::Source;
use nearfar_model::NodeId;
use nearfar_process::{AllMeant, Counters, ProcessUse};
use nearfar_report::process::stat::numastat::{self, Shape, SortBy};

use super::outcome::{complain, status, usage};
use crate::{input, output};

const NAME: &str = "numastat";
const USAGE: &str = "\
Usage: numastat [-c] [-m] [-n] [-p <PID>|<pattern>] [-s[<node>]] [-v] [-V] [-z] [ <PID>|<pattern>... ]
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

/// What the words ask for.
#[derive(Debug, Default, PartialEq)]
struct Request {
    /// Whether any of numastat's own words came: without them its oldest table is printed.
    any: bool,
    narrow: bool,
    memory: bool,
    allocations: bool,
    processes: Vec<String>,
    sort: Option<SortBy>,
    verbose: bool,
    version: bool,
    skip_zeros: bool,
    json: bool,
    help: bool,
    root: Option<PathBuf>,
}

/// Runs it with the words behind its name.
pub(super) fn run(words: Vec<OsString>) -> ExitCode {
    match Request::parse(words) {
        Ok(request) if request.help => usage(NAME, USAGE, None),
        Ok(request) => status(NAME, request.answer()),
        Err(wrong) => usage(NAME, USAGE, Some(&wrong)),
    }
}

impl Request {
    fn parse(words: Vec<OsString>) -> Result<Self, lexopt::Error> {
        let mut request = Self::default();
        let mut parser = lexopt::Parser::from_args(words);
        while let Some(word) = parser.next()? {
            request.any |= !matches!(word, Long("json" | "root"));
            match word {
                Short('c') => request.narrow = true,
                Short('m') => request.memory = true,
                Short('n') => request.allocations = true,
                Short('p') => request.processes.push(parser.value()?.string()?),
                Short('s') => request.sort = Some(sort_by(parser.optional_value().as_deref())),
                Short('v') => request.verbose = true,
                Short('V') => request.version = true,
                Short('z') => request.skip_zeros = true,
                Short('?' | 'h') | Long("help") => request.help = true,
                Long("json") => request.json = true,
                Long("root") => request.root = Some(parser.value()?.into()),
                Value(process) => request.processes.push(process.string()?),
                other => return Err(other.unexpected()),
            }
        }
        Ok(request)
    }

    fn answer(&self) -> anyhow::Result<ExitCode> {
        if self.version {
            output::text(&format!("numastat version: {} (nearfar)\n", env!("CARGO_PKG_VERSION")))?;
            return Ok(ExitCode::SUCCESS);
        }
        let source = match &self.root {
            Some(root) => input::read(root, Source::open)?,
            None => Source::live(),
        };
        let mut counters = Counters::read(&source)?;
        let AllMeant { pids, unknown } = AllMeant::find(&source, &self.processes)?;
        for pattern in &unknown {
            complain(NAME, format!("Found no processes containing pattern: \"{pattern}\""));
        }
        counters.processes = ProcessUse::read_all(&source, &pids);
        let well = complete(&counters) && unknown.is_empty();
        match self.json {
            true => output::json(&counters)?,
            false => output::text(&self.tables(&counters))?,
        }
        Ok(if well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn tables(&self, counters: &Counters) -> String {
        let screen = screen_width();
        if !self.any {
            return numastat::plain(counters, screen);
        }
        let Self { narrow, skip_zeros, sort, verbose, .. } = *self;
        let shape = Shape { screen, narrow, skip_zeros, sort, verbose };
        let mut text = numastat::processes(counters, shape);
        if self.memory {
            text.push_str(&numastat::memory(counters, shape));
        }
        if self.allocations || (self.processes.is_empty() && !self.memory) {
            text.push_str(&numastat::allocations(counters, shape));
        }
        text
    }
}

/// A node's number; anything else sorts by the total, as it always has.
fn sort_by(value: Option<&OsStr>) -> SortBy {
    let number = value.and_then(|value| value.to_str()?.parse().ok());
    number.map_or(SortBy::Total, |number| SortBy::Node(NodeId(number)))
}

/// Says what could not be read. Figures that are absent stay blank in the tables.
fn complete(counters: &Counters) -> bool {
    let mut well = true;
    for node in &counters.nodes {
        if node.allocations_pages.is_none() || node.memory_bytes.is_none() {
            complain(NAME, format!("node {}: {}", node.node, node.why.as_deref().unwrap_or("unreadable")));
            well = false;
        }
    }
    for process in counters.processes.iter().filter(|process| process.nodes.is_none()) {
        complain(NAME, process.why.as_deref().unwrap_or("a process cannot be read"));
        well = false;
    }
    well
}

const USUAL: usize = 80;
const LEAST: usize = 32;
/// Far beyond any line: output that nobody looks at is not folded.
const UNFOLDED: usize = 10_000_000;

/// Where lines end: as `NUMASTAT_WIDTH` says, else where the terminal does, else nowhere.
fn screen_width() -> usize {
    let told = std::env::var("NUMASTAT_WIDTH").ok();
    let width = match told {
        Some(text) => text.trim().parse().ok().filter(|width| (1..=UNFOLDED).contains(width)).unwrap_or(USUAL),
        None if std::io::stdout().is_terminal() => {
            let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok();
            size.map(|size| usize::from(size.ws_col)).filter(|&width| width > 0).unwrap_or(USUAL)
        }
        None => UNFOLDED,
    };
    width.max(LEAST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(words: &[&str]) -> Result<Request, lexopt::Error> {
        Request::parse(words.iter().map(Into::into).collect())
    }

    #[test]
    fn options_stand_together_and_between_processes() {
        let all = request(&["-czmn", "qemu", "-s2", "-p", "12", "-v"]).unwrap();
        assert!(all.narrow && all.skip_zeros && all.memory && all.allocations && all.verbose && all.any);
        assert_eq!((all.processes, all.sort), (vec!["qemu".into(), "12".into()], Some(SortBy::Node(NodeId(2)))));
        assert_eq!(request(&["-czs", "kvm"]).unwrap().sort, Some(SortBy::Total));
    }

    #[test]
    fn without_words_of_numastats_own_the_oldest_table_is_meant() {
        assert!(!request(&[]).unwrap().any);
        assert!(!request(&["--json"]).unwrap().any);
        assert!(request(&["-c"]).unwrap().any);
    }

    #[test]
    fn unknown_options_and_missing_values_are_wrong() {
        assert!(request(&["-x"]).is_err() && request(&["-p"]).is_err() && request(&["--nonsense"]).is_err());
    }
}
