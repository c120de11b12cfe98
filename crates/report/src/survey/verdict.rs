//! The verdict in one sentence, its reasons, and what would settle it.

pub(crate) mod reasons;

use nearfar_infer::{Numa, NumaReason, NumaVerdict, Remedy, THRESHOLD};
use nearfar_survey::{Mode, Options, Survey};

use nearfar_view::text::count;
use nearfar_view::text::paragraph;

/// The verdict with its figures; an undetermined one has its reasons.
pub(super) fn text(survey: &Survey) -> String {
    let verdict = &survey.verdict;
    let mut text = line(survey);
    if verdict.numa == Numa::Undetermined {
        text.extend(
            verdict.reasons.iter().map(|reason| paragraph::remark(&reasons::reason(reason))),
        );
    }
    if let Some(remedy) = would_settle(survey) {
        text += &paragraph::of(&remedy, "What would settle it: ", "  ");
    }
    text
}

/// The verdict with its figures.
pub(super) fn line(survey: &Survey) -> String {
    let head = format!("NUMA: {}. ", survey.verdict.numa);
    paragraph::with_bold_head(&head, &sentence(survey), "  ")
}

/// What would settle an undetermined verdict, with the command that does it where there is one.
pub(crate) fn would_settle(survey: &Survey) -> Option<String> {
    let remedy = survey.verdict.would_settle.as_ref()?;
    let command = match remedy {
        Remedy::MoreRounds { rounds, so_far, standard_error, .. } => {
            // Rounds whose samples were all dropped take time, too.
            let lost = f64::from(survey.provenance.rounds) / (*so_far).max(1) as f64;
            let rounds = (*rounds as f64 * lost.max(1.0)).ceil() as usize;
            longer_survey(
                rounds,
                *standard_error,
                survey.provenance.options.mode,
                &same_options(survey),
            )
        }
        _ => String::new(),
    };
    Some(reasons::remedy(remedy) + &command)
}

/// The options that select probe, threshold, CPUs and nodes.
fn same_options(survey: &Survey) -> String {
    let Options { rows, cpus, nodes, .. } = &survey.provenance.options;
    let threshold = survey.verdict.threshold;
    let mut options = match survey.latency.probe.as_str() {
        "page" => String::new(),
        probe => format!(" --probe {probe}"),
    };
    if (threshold - THRESHOLD).abs() > 1e-9 {
        options += &format!(" --threshold {}%", (1e4 * threshold).round() / 100.0);
    }
    if !rows.is_empty() && rows != "auto" {
        options += &format!(" --rows {rows}");
    }
    options.extend(cpus.iter().map(|cpus| format!(" --cpus {cpus}")));
    options.extend(nodes.iter().map(|nodes| format!(" --nodes {nodes}")));
    options
}

/// The command that makes this many rounds before its precision stops it.
fn longer_survey(rounds: usize, standard_error: Option<f64>, mode: Mode, options: &str) -> String {
    let longer: &[(Mode, &str)] = match mode {
        Mode::Quick => &[(Mode::Default, ""), (Mode::Thorough, " --thorough")],
        Mode::Default => &[(Mode::Thorough, " --thorough")],
        Mode::Thorough => &[],
    };
    let reaches = |(mode, _): &&(Mode, &str)| {
        let limits = mode.limits();
        rounds <= limits.max_rounds as usize
            && standard_error.is_none_or(|error| limits.standard_error <= error)
    };
    let most = Mode::Thorough.limits().max_rounds;
    match longer.iter().find(reaches) {
        Some((mode, effort)) => {
            format!(": 'nearfar survey{effort}{options}' makes up to {}", mode.limits().max_rounds)
        }
        None if rounds > most as usize => {
            format!(
                "; a survey makes at most {most}: stop other programs, or select idle CPUs with \
                 --cpus"
            )
        }
        None => String::new(),
    }
}

/// The figures of the verdict.
pub(crate) fn sentence(survey: &Survey) -> String {
    let verdict = &survey.verdict;
    let figures = figures(verdict);
    match (verdict.numa, verdict.effect) {
        (Numa::Yes, Some(effect)) => {
            let least =
                if verdict.reasons.contains(&NumaReason::MemoryNotSeen) { "at least " } else { "" };
            format!(
                "From the same CPUs, the slowest memory has {least}{:.2} times the latency of the \
                 fastest {figures}.",
                1.0 + effect
            )
        }
        (Numa::No, _) => {
            format!("Memory latency is uniform within {} {figures}.", percent(verdict.threshold))
        }
        _ => undetermined(survey),
    }
}

/// The largest difference against the threshold; the size of the matrix where nothing compares.
fn undetermined(survey: &Survey) -> String {
    let verdict = &survey.verdict;
    match (verdict.effect, verdict.ci95) {
        (Some(effect), Some([low, high])) => format!(
            "The largest difference is {:+.1} % (95 % interval {:.1} to {:.1} %); the threshold is \
             {}.",
            effect * 100.0,
            low * 100.0,
            high * 100.0,
            percent(verdict.threshold)
        ),
        _ => format!("{} {}", design(survey), figures(verdict)).trim_end().to_owned() + ".",
    }
}

fn figures(verdict: &NumaVerdict) -> String {
    let mut figures = Vec::new();
    if let (Some(effect), Some([low, high])) = (verdict.effect, verdict.ci95) {
        figures.push(format!(
            "largest effect {:+.1} %, 95 % interval {:+.1} to {:+.1} %",
            effect * 100.0,
            low * 100.0,
            high * 100.0
        ));
    }
    figures.extend(
        verdict.p.map(|p| if p < 0.001 { "p < 0.001".to_owned() } else { format!("p = {p:.3}") }),
    );
    if figures.is_empty() { String::new() } else { format!("({})", figures.join(", ")) }
}

/// The size of the matrix: "2 rows of CPUs, 4 columns of memory".
fn design(survey: &Survey) -> String {
    let (rows, columns) = (survey.latency.rows.len(), survey.latency.columns.len());
    format!("{} of CPUs, {} of memory", count(rows, "row"), count(columns, "column"))
}

fn percent(share: f64) -> String {
    let percent = format!("{:.1}", share * 100.0);
    format!("{} %", percent.trim_end_matches(".0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_rounds_name_their_command() {
        let command = |rounds, error, mode| longer_survey(rounds, error, mode, "");
        assert_eq!(command(40, None, Mode::Quick), ": 'nearfar survey' makes up to 60");
        assert_eq!(command(40, Some(0.006), Mode::Quick), ": 'nearfar survey' makes up to 60");
        // Without options a survey stops at 0.5 %, before that round.
        let thorough = ": 'nearfar survey --thorough' makes up to 240";
        assert_eq!(command(40, Some(0.004), Mode::Quick), thorough);
        assert_eq!(command(150, Some(0.004), Mode::Default), thorough);
        assert_eq!(command(150, Some(0.001), Mode::Default), "");
        assert_eq!(command(100, None, Mode::Thorough), "");
        let with_threshold = longer_survey(40, None, Mode::Quick, " --threshold 1%");
        assert_eq!(with_threshold, ": 'nearfar survey --threshold 1%' makes up to 60");
        assert!(command(500, None, Mode::Quick).contains("a survey makes at most 240"));
    }
}
