//! A fleet: which machine differs from the others, and in what.

mod batches;
mod csv;
mod drift;
mod groups;
mod map;
mod sentences;
mod skipped;

use nearfar_model::{HostName, Unit};
use nearfar_view::terminal::printable;
use nearfar_view::text::paragraph;

use crate::fleet::{FleetDocument, NameSource};

pub use csv::csv;
pub use drift::{DRIFT_COLUMNS, drift, drift_rows};
pub use groups::groups;
pub use map::maps;
pub use sentences::{counted, method};
pub use skipped::skipped;

/// Lines of each kind on a screen; JSON and CSV have all.
const MAX_LINES: usize = 40;

/// Batches, then outliers.
pub fn sentences(fleet: &FleetDocument) -> Vec<String> {
    [batches::batches(fleet), sentences::outliers(fleet)].concat()
}

/// Groups, outliers, drift, and what is not used.
pub fn text(fleet: &FleetDocument) -> String {
    let not_used: Vec<String> =
        skipped(&fleet.skipped).iter().map(|one| format!("not used: {one}")).collect();
    let mut parts = vec![
        counted(fleet) + "\n" + &lines(&groups(fleet)),
        lines(&sentences(fleet)),
        lines(&drift(fleet)),
        lines(&not_used),
    ];
    if !fleet.findings.is_empty() {
        parts[1] += &paragraph::of(&method(fleet), "", "");
    }
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

/// Names of slower machines, as Slurm's commands take them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excluded {
    /// A line of hosts; empty without one.
    pub names: String,
    /// Those of them that are names of files.
    pub from_files: Vec<String>,
    /// Names that are no host's, with the reason.
    pub refused: Vec<String>,
}

/// Names come from documents: what is no single host's is refused, and the others are listed.
pub fn exclude(fleet: &FleetDocument) -> Excluded {
    let mut found = Excluded::default();
    let mut hosts: Vec<String> = Vec::new();
    for machine in fleet.slower_machines() {
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
