//! Two lines: who the machine is, and how it was measured.

use nearfar_model::Instrument;
use nearfar_survey::Survey;
use nearfar_terminal::printable;

use super::is_plain;

use crate::count::count;

/// Characters of a line.
const WIDTH: usize = 120;

/// The lines.
pub(super) fn text(survey: &Survey) -> String {
    let bold = anstyle::Style::new().bold();
    let (name, machine, measurement) =
        (survey.machine.short_name(), machine(survey), measurement(survey));
    let [name, machine] = [&name, &machine].map(|text| printable::line(text));
    format!("{bold}{name}{bold:#}   {machine}\n{measurement}\n")
}

/// What it is made of.
pub(crate) fn machine(survey: &Survey) -> String {
    let machine = &survey.machine;
    let mut facts = vec![
        count(machine.packages, "package"),
        count(machine.cores, "core"),
        count(machine.cpus, "CPU"),
        count(machine.nodes, "node"),
    ];
    facts.extend(machine.memory_bytes.map(|bytes| bytes.to_string()));
    facts.extend(machine.kernel.as_ref().map(|kernel| format!("Linux {kernel}")));
    facts.push(
        machine
            .hypervisor
            .as_ref()
            .map_or("no hypervisor seen".to_owned(), |name| format!("{name} guest")),
    );
    facts.join(" · ")
}

/// How it was measured, in as few lines as hold it.
pub(crate) fn measurement(survey: &Survey) -> String {
    let provenance = &survey.provenance;
    let mut facts = vec![];
    let parts = survey.measured();
    match parts.len() {
        number if number < 2 || is_plain(&parts) => {
            let (instrument, errors, aim) = measured(survey);
            facts.push(instrument);
            if !errors.is_empty() {
                facts.push(count(provenance.rounds as usize, "round"));
                facts.push(count(provenance.processes as usize, "process"));
                facts.push(precision(&errors, aim));
            }
        }
        // Each has its own precision, in a table of its own.
        several => facts.push(format!("{several} instruments")),
    }
    facts.push(match provenance.budget_s {
        Some(budget) => format!("{:.1} s of {budget:.0} s", provenance.duration_s),
        None => format!("{:.1} s", provenance.duration_s),
    });
    facts.push(format!("seed {}", provenance.seed));
    facts.push(minute(&provenance.started));
    lines(&facts)
}

/// Facts in as few lines as hold them.
fn lines(facts: &[String]) -> String {
    let mut lines = vec![String::new()];
    for fact in facts.iter().map(|fact| printable::line(fact).into_owned()) {
        match lines.last_mut() {
            Some(line) if line.is_empty() => *line = fact,
            Some(line) if line.chars().count() + 3 + fact.chars().count() <= WIDTH => {
                *line += &format!(" · {fact}");
            }
            _ => lines.push(fact),
        }
    }
    lines.join("\n")
}

/// What measured, the standard errors of its cells, and what it aims at: latency's probe, or the
/// instrument that ran alone.
fn measured(survey: &Survey) -> (String, Vec<Option<f64>>, f64) {
    let aim = survey.provenance.options.mode.standard_error();
    match survey.measured().first() {
        None | Some(Instrument::Latency) => {
            let errors = survey.standard_errors(Instrument::Latency);
            (format!("{} probe", survey.latency.probe), errors, aim)
        }
        Some(&only) => {
            // A loaded sample scatters, and aims at half as much.
            let aim = if only == Instrument::Loaded { 2.0 * aim } else { aim };
            (only.name().to_owned(), survey.standard_errors(only), aim)
        }
    }
}

/// How many cells are as precise as was aimed at.
fn precision(errors: &[Option<f64>], standard_error: f64) -> String {
    let within = errors.iter().flatten().filter(|se| **se <= standard_error).count();
    format!("{within} of {} cells to {} % standard error", errors.len(), 100.0 * standard_error)
}

/// "2026-11-20T10:14:05Z" as "2026-11-20 10:14 UTC". What is no date stays as it is.
fn minute(started: &str) -> String {
    match (started.get(..10), started.get(11..16)) {
        (Some(day), Some(time)) if is_time_stamp(started) => format!("{day} {time} UTC"),
        _ => started.to_owned(),
    }
}

/// Whether a text is a time stamp as documents have it, and not words in place of one.
pub(crate) fn is_time_stamp(text: &str) -> bool {
    const PATTERN: &[u8] = b"0000-00-00T00:00:00Z";
    let matches = |(byte, pattern): (u8, &u8)| match pattern {
        b'0' => byte.is_ascii_digit(),
        _ => byte == *pattern,
    };
    text.len() == PATTERN.len() && text.bytes().zip(PATTERN).all(matches)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_date_stays_as_it_is() {
        assert_eq!(minute("2026-11-20T10:14:05Z"), "2026-11-20 10:14 UTC");
        for words in [
            "replayed, not measured",
            "",
            "2026-11-20",
            "2026-11-20T10:14:0xZ",
            "20261120T101405.000Z",
        ] {
            assert_eq!(minute(words), words);
        }
    }

    #[test]
    fn facts_go_on_in_another_line_before_they_are_too_wide() {
        let facts = vec!["x".repeat(50); 3];
        let text = lines(&facts);
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        assert_eq!(
            text.lines().map(|line| line.matches('x').count()).collect::<Vec<_>>(),
            [100, 50]
        );
    }
}
