//! Error rates of nearfar's results and the smallest detectable differences, on machines with known
//! truth.
//!
//!     ./dev bench odds [SURVEYS] [PART...]
//!
//! The default is 2000 surveys of each kind: about an hour on two CPUs. Writes docs/method/odds.md.
//! With names of parts (alarms, one-column, quick, undetermined, power, matrices, packages, hidden,
//! factors, fleets, fleet-kinds, fleet-history, fleet-power, fleet-spreads, response, objects,
//! growth), prints these only.

mod alarms;
mod factors;
mod fleet_grid;
mod fleet_kinds;
mod fleets;
mod growth;
mod hidden_nodes;
mod histories;
mod matrices;
mod objects;
mod one_column;
mod packages;
mod power;
mod quick;
#[path = "../../tests/replay/mod.rs"]
pub mod replay;
mod response;
mod rivals;
mod share;
mod undetermined;

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use replay::Probe;

const HEAD: &str = include_str!("head.md");

type OddsTable = (&'static str, fn(u64) -> String);

const PARTS: [OddsTable; 17] = [
    ("alarms", alarms::table),
    ("one-column", one_column::table),
    ("quick", quick::table),
    ("undetermined", undetermined::table),
    ("power", power::table),
    ("matrices", matrices::tables),
    ("packages", packages::table),
    ("hidden", hidden_nodes::table),
    ("factors", factors::table),
    ("fleets", fleet_grid::table),
    ("fleet-kinds", fleet_kinds::table),
    ("fleet-history", histories::table),
    ("fleet-power", fleets::power),
    ("fleet-spreads", fleets::table),
    ("response", response::table),
    ("objects", objects::table),
    ("growth", |_| growth::table()),
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let surveys = args.iter().find_map(|arg| arg.parse().ok()).unwrap_or(2000);
    let named = |name: &str| args.iter().any(|arg| arg == name);
    let all = !PARTS.iter().any(|(name, _)| named(name));
    let begun = Instant::now();
    let mut text =
        HEAD.replace("SURVEYS", &surveys.to_string()).replace("RECORDINGS", &recordings());
    for (name, part) in PARTS.iter().filter(|(name, _)| all || named(name)) {
        let _ = write!(text, "\n{}", wrapped(&part(surveys)));
        eprintln!("odds: {name} done after {:.0} s", begun.elapsed().as_secs_f64());
    }
    println!("{text}");
    if !all {
        return ExitCode::SUCCESS;
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/method/odds.md");
    text += &for_the_lab(&std::fs::read_to_string(&file).unwrap_or_default());
    match std::fs::write(&file, &text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("odds: cannot write {}: {error}", file.display());
            ExitCode::FAILURE
        }
    }
}

/// The sections on sentences, as they are in the page: the lab's replays fill them in.
fn for_the_lab(page: &str) -> String {
    let sections = page.split("\n## ").filter(|section| section.starts_with("Sentences "));
    sections.map(|section| format!("\n## {}\n", section.trim_end())).collect()
}

/// The hosts of the replayed noise, and its size.
fn wrapped(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.starts_with(['|', '#']) {
            lines.push(line.to_owned());
            continue;
        }
        let mut current = String::new();
        for word in line.split(' ') {
            let length = current.chars().count() + 1 + word.chars().count();
            if !current.is_empty() && length > 100 {
                lines.push(std::mem::take(&mut current));
            }
            let space = if current.is_empty() { "" } else { " " };
            let _ = write!(current, "{space}{word}");
        }
        lines.push(current);
    }
    lines.join("\n") + "\n"
}

/// Which hosts' noise is replayed, and how large it is.
fn recordings() -> String {
    let mut table = String::from(
        "| recording | half are off by | one in a hundred by | the farthest by \
         |\n|---|---|---|---|\n",
    );
    for recording in [Probe::Page, Probe::Chase].into_iter().flat_map(Probe::recordings) {
        let [half, hundredth, farthest] =
            [50, 99, 100].map(|percent| recording.size(percent) * 100.0);
        let _ = writeln!(
            table,
            "| {} | {half:.1} % | {hundredth:.1} % | {farthest:.1} % |",
            recording.name
        );
    }
    table
}
