//! Two lines: who the machine is, and how it was measured.

use nearfar_survey::{Matrix, Survey};

use crate::count::count;
use crate::printable;

/// The lines.
pub(super) fn text(survey: &Survey) -> String {
    let bold = anstyle::Style::new().bold();
    let (name, machine, measurement) = (survey.machine.short_name(), machine(survey), measurement(survey));
    let [name, machine, measurement] = [&name, &machine, &measurement].map(|text| printable::line(text));
    format!("{bold}{name}{bold:#}   {machine}\n{measurement}\n")
}

fn machine(survey: &Survey) -> String {
    let machine = &survey.machine;
    let mut facts = vec![
        count(machine.packages, "package"),
        count(machine.cores, "core"),
        count(machine.cpus, "CPU"),
        count(machine.nodes, "node"),
    ];
    facts.extend(machine.memory_bytes.map(|bytes| bytes.to_string()));
    facts.extend(machine.kernel.as_ref().map(|kernel| format!("Linux {kernel}")));
    facts.push(machine.hypervisor.as_ref().map_or("no hypervisor seen".to_owned(), |name| format!("{name} guest")));
    facts.join(" · ")
}

fn measurement(survey: &Survey) -> String {
    let provenance = &survey.provenance;
    let facts = [
        format!("{} probe", survey.latency.probe),
        count(provenance.rounds as usize, "round"),
        count(provenance.processes as usize, "process"),
        precision(&survey.latency, provenance.options.mode.standard_error()),
        format!("{:.1} s", provenance.duration_s),
        format!("seed {}", provenance.seed),
        format!("survey {}", minute(&provenance.started)),
    ];
    facts.join(" · ")
}

/// How many cells are as precise as was aimed at.
fn precision(matrix: &Matrix, standard_error: f64) -> String {
    let within = matrix.cells.iter().filter(|cell| cell.se.is_some_and(|se| se <= standard_error)).count();
    format!("{within} of {} cells to {} % standard error", matrix.cells.len(), 100.0 * standard_error)
}

/// "2026-11-20T10:14:05Z" as "2026-11-20 10:14 UTC".
fn minute(started: &str) -> String {
    match (started.get(..10), started.get(11..16)) {
        (Some(day), Some(time)) => format!("{day} {time} UTC"),
        _ => started.to_owned(),
    }
}
