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
    let (instrument, errors) = measured(survey);
    let facts = [
        instrument,
        count(provenance.rounds as usize, "round"),
        count(provenance.processes as usize, "process"),
        precision(&errors, provenance.options.mode.standard_error()),
        format!("{:.1} s", provenance.duration_s),
        format!("seed {}", provenance.seed),
        format!("survey {}", minute(&provenance.started)),
    ];
    facts.join(" · ")
}

/// What measured, and the standard errors of its cells: latency's probe, or the instrument that ran alone.
fn measured(survey: &Survey) -> (String, Vec<Option<f64>>) {
    let alone = [
        survey.bandwidth.as_ref().map(|part| of(&part.part.matrix)),
        survey.core_to_core.as_ref().map(|part| of(&part.matrix)),
        survey.caches.as_ref().map(|part| of(&part.part.matrix)),
        survey.loaded.as_ref().map(|part| of(&part.part.matrix)),
        survey.hidden.as_ref().map(|part| of(&part.matrix)),
        survey.interleave.as_ref().and_then(|spread| spread.bandwidth.as_ref()).map(|part| of(&part.matrix)),
    ];
    match alone.into_iter().flatten().next() {
        Some(alone) if survey.latency.rows.is_empty() => alone,
        _ => (format!("{} probe", survey.latency.probe), of(&survey.latency).1),
    }
}

fn of<T>(matrix: &Matrix<T>) -> (String, Vec<Option<f64>>) {
    (matrix.probe.clone(), matrix.cells.iter().map(|cell| cell.se).collect())
}

/// How many cells are as precise as was aimed at.
fn precision(errors: &[Option<f64>], standard_error: f64) -> String {
    let within = errors.iter().flatten().filter(|se| **se <= standard_error).count();
    format!("{within} of {} cells to {} % standard error", errors.len(), 100.0 * standard_error)
}

/// "2026-11-20T10:14:05Z" as "2026-11-20 10:14 UTC".
fn minute(started: &str) -> String {
    match (started.get(..10), started.get(11..16)) {
        (Some(day), Some(time)) => format!("{day} {time} UTC"),
        _ => started.to_owned(),
    }
}
