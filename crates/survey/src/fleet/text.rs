//! A fleet: which machine differs from the others, and in what.

mod batches;
mod boards;
mod courses;
mod csv;
mod doubts;
mod drift;
mod groups;
mod history;
mod map;
mod sentences;
mod skipped;

use nearfar_model::{HostName, Unit};
use nearfar_view::terminal::printable;
use nearfar_view::terminal::screen::Screen;
use nearfar_view::text::fitted::{ScreenParts, ToDo};
use nearfar_view::text::{count, paragraph};

use crate::fleet::{FleetDocument, FleetMachine, GroupState, NameSource};

pub use boards::boards;
pub use courses::courses;
pub use csv::csv;
pub use doubts::doubts;
pub use drift::{DRIFT_COLUMNS, drift, drift_rows};
pub use groups::groups;
pub use history::history;
pub use map::maps;
pub use sentences::{counted, method};
pub use skipped::skipped;

/// Lines of each kind on a screen; JSON and CSV have all.
const MAX_LINES: usize = 40;
/// Machines that are named in an answer; commands name all.
const MAX_NAMES: usize = 6;

/// How much a sentence has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FleetDetail {
    /// Figures and their intervals.
    Brief,
    /// Also q, and how outliers were decided.
    Full,
}

/// Batches, then outliers.
pub fn sentences(fleet: &FleetDocument, detail: FleetDetail) -> Vec<String> {
    [batches::batches(fleet, detail), sentences::outliers(fleet, detail)].concat()
}

/// Which machines are slower, why, and what to do; then groups, drift, and what is not used.
///
/// `paths` are the arguments that name the documents, as a shell reads them.
pub fn text(fleet: &FleetDocument, detail: FleetDetail, paths: &str) -> Screen {
    let not_used: Vec<String> =
        skipped(&fleet.skipped).iter().map(|one| format!("not used: {one}")).collect();
    let method = match (detail, fleet.findings.is_empty()) {
        (FleetDetail::Full, false) => paragraph::of(&method(fleet), "", ""),
        _ => String::new(),
    };
    let verdict = verdict(fleet);
    ScreenParts {
        answer: vec![format!("{verdict}."), format!("{}.", counted(fleet))],
        to_do: to_do(fleet, paths),
        sections: vec![
            lines(&sentences(fleet, detail)) + &method,
            fleet.history.as_ref().map_or_else(String::new, |all| lines(&history(all, detail))),
            lines(&boards(&fleet.boards)),
            lines(&doubts(&fleet.doubts)),
            lines(&drift(fleet)),
            lines(&groups(fleet)),
            lines(&not_used),
        ],
        verdict,
    }
    .screen()
}

/// "Fleet: 2 machines are slower than their group: n07, n12".
fn verdict(fleet: &FleetDocument) -> String {
    let slower: Vec<&str> =
        fleet.slower_machines().iter().map(|machine| machine.name.as_str()).collect();
    let mut names: Vec<&str> = fleet.findings.iter().map(|finding| &*finding.machine).collect();
    names.retain(|name| !slower.contains(name));
    names.dedup();
    let faster = match names.len() {
        0 => String::new(),
        _ => format!("; only faster: {}", short_names(&names)),
    };
    if slower.is_empty() {
        let too_few = fleet.groups.iter().all(|group| group.state == GroupState::TooFew);
        let compared = match (fleet.is_compared(), too_few) {
            (true, _) => "no machine is slower",
            (false, true) => "not compared: a group needs 4 machines",
            (false, false) => "not compared: no group has the same cells",
        };
        return format!("Fleet: {compared}{faster}");
    }
    let are = if slower.len() == 1 { "is" } else { "are" };
    let (machines, names) = (count(slower.len(), "machine"), short_names(&slower));
    format!("Fleet: {machines} {are} slower than the others: {names}{faster}")
}

fn short_names(names: &[&str]) -> String {
    let shown = names.iter().take(MAX_NAMES).copied().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MAX_NAMES) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Commands that take slower machines out of use; what shows more.
fn to_do(fleet: &FleetDocument, paths: &str) -> Vec<ToDo> {
    let hosts = exclude(fleet).names;
    let mut all = Vec::new();
    if !hosts.is_empty() {
        let hosts = hosts.trim_end();
        let slurm =
            format!("scontrol update nodename={hosts} state=drain reason='slower (nearfar)'");
        all.push(ToDo::new(slurm, "no new jobs on them, with Slurm"));
        let kubernetes = format!("kubectl cordon {}", hosts.replace(',', " "));
        all.push(ToDo::new(kubernetes, "no new pods on them, with Kubernetes"));
        let why = "On each of them, 'nearfar diagnose' shows modules, settings and faults.";
        all.push(ToDo::new("", why));
    }
    let map = format!("nearfar fleet {paths} --html fleet.html");
    all.push(ToDo::new(map, "a map of all machines"));
    all
}

/// Names of machines, as Slurm's commands take them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excluded {
    /// A line of hosts; empty without one.
    pub names: String,
    /// Those of them that are names of files.
    pub from_files: Vec<String>,
    /// Names that are no host's, with the reason.
    pub refused: Vec<String>,
}

/// The slower machines.
pub fn exclude(fleet: &FleetDocument) -> Excluded {
    host_names(&fleet.slower_machines(), usize::MAX)
}

/// The first of these machines. Names come from documents: what is no single host's is refused,
/// and the others are listed.
pub fn host_names(machines: &[&FleetMachine], most: usize) -> Excluded {
    let mut found = Excluded::default();
    let mut hosts: Vec<String> = Vec::new();
    for machine in machines {
        if hosts.len() == most {
            break;
        }
        match machine.name.parse::<HostName>() {
            Ok(host) => {
                hosts.push(host.to_string());
                if machine.name_source == NameSource::File {
                    found.from_files.push(host.to_string());
                }
            }
            Err(why) => {
                found.refused.push(format!("'{}': {why}", printable::line(&machine.name)));
            }
        }
    }
    if !hosts.is_empty() {
        found.names = hosts.join(",") + "\n";
    }
    found
}

/// The figure of a machine whose cost is this many times that of `center`.
pub(crate) fn figure_of(unit: Unit, center: f64, ratio: f64) -> f64 {
    if unit.more_is_better() { center / ratio } else { center * ratio }
}

/// Each in lines that fit the terminal.
fn lines(all: &[String]) -> String {
    let shown: String =
        all.iter().take(MAX_LINES).map(|one| paragraph::of(one, "", "  ")).collect();
    shown + &more(all.len())
}

fn more(all: usize) -> String {
    match all.checked_sub(MAX_LINES) {
        Some(more @ 1..) => format!("and {more} more: --json\n"),
        _ => String::new(),
    }
}
