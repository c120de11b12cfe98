//! The machine, and how it was measured.

use nearfar_model::Instrument;
use nearfar_survey::{PrecisionWarning, Survey};
use nearfar_view::terminal::printable;
use nearfar_view::text::count;
use nearfar_view::text::paragraph;

use super::{Verbosity, is_plain};

/// The machine in one line: its name, and as many facts as fit.
pub(super) fn line(survey: &Survey) -> String {
    let bold = anstyle::Style::new().bold();
    let name = survey.machine.short_name();
    let name: String = printable::line(&name).chars().take(paragraph::line_width()).collect();
    let lines = paragraph::facts(&machine_facts(survey), &format!("{name}   "), "");
    let line = lines.lines().next().unwrap_or_default().trim_end_matches(" ·");
    // A single fact is never broken, and may not fit.
    let facts =
        line.strip_prefix(&*name).filter(|_| line.chars().count() <= paragraph::line_width());
    format!("{bold}{name}{bold:#}{}\n", facts.unwrap_or_default())
}

/// Packages, cores, nodes, memory, kernel and hypervisor.
pub(crate) fn machine(survey: &Survey) -> String {
    machine_facts(survey).join(" · ")
}

fn machine_facts(survey: &Survey) -> Vec<String> {
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
    facts
}

/// How it was measured.
pub(crate) fn measurement(survey: &Survey) -> String {
    let facts = measurement_facts(survey, Verbosity::Verbose);
    let clean: Vec<String> = facts.iter().map(|fact| printable::line(fact).into_owned()).collect();
    clean.join(" · ")
}

/// Facts of the machine that its line lacks.
pub(super) fn other_facts(survey: &Survey) -> Vec<String> {
    let line = line(survey);
    let facts = machine_facts(survey).into_iter();
    facts.filter(|fact| !line.contains(&*printable::line(fact))).collect()
}

/// Probe, rounds, processes, precision, time, seed and date.
pub(super) fn measurement_facts(survey: &Survey, verbosity: Verbosity) -> Vec<String> {
    let provenance = &survey.provenance;
    let mut facts = vec![];
    let parts = survey.measured();
    match parts.len() {
        number if number < 2 || is_plain(&parts) => {
            let (instrument, errors, aim) = measured(survey);
            facts.push(instrument);
            if !errors.is_empty() && verbosity == Verbosity::Verbose {
                facts.push(count(provenance.rounds as usize, "round"));
                facts.push(count(provenance.processes as usize, "process"));
                facts.push(precision(&errors, aim));
            }
        }
        // A table lists the precision of each.
        several => facts.push(format!("{several} instruments")),
    }
    facts.push(match provenance.budget_s {
        Some(budget) => format!("{:.1} s of {budget:.0} s", provenance.duration_s),
        None => format!("{:.1} s", provenance.duration_s),
    });
    facts.push(format!("seed {}", provenance.seed));
    facts.push(minute(&provenance.started));
    facts
}

/// The probe of latency, or the only instrument; the standard errors of its cells, and their aim.
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

/// How many cells reach the wanted precision.
fn precision(errors: &[Option<f64>], standard_error: f64) -> String {
    let within = errors.len() - PrecisionWarning::count(errors, standard_error);
    format!("{within} of {} cells to {} % standard error", errors.len(), 100.0 * standard_error)
}

/// "2026-11-20T10:14:05Z" as "2026-11-20 10:14 UTC". Text that is no date is unchanged.
fn minute(started: &str) -> String {
    match (started.get(..10), started.get(11..16)) {
        (Some(day), Some(time)) if is_time_stamp(started) => format!("{day} {time} UTC"),
        _ => started.to_owned(),
    }
}

/// Whether a text is a time stamp as documents have it, and not other words.
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
    fn text_that_is_no_date_is_unchanged() {
        assert_eq!(minute("2026-11-20T10:14:05Z"), "2026-11-20 10:14 UTC");
        for text in [
            "replayed, not measured",
            "",
            "2026-11-20",
            "2026-11-20T10:14:0xZ",
            "20261120T101405.000Z",
        ] {
            assert_eq!(minute(text), text);
        }
    }
}
