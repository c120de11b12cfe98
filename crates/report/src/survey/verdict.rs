//! The verdict in one sentence, its reasons, and what would settle it.

pub(crate) mod reasons;

use nearfar_infer::{Numa, Remedy, THRESHOLD, Verdict};
use nearfar_survey::{Mode, Options, Survey};
use nearfar_terminal::printable;

use crate::count::count;

/// The paragraph. A verdict that is sure says its figures in its sentence; an undetermined one owes
/// its reasons.
pub(super) fn text(survey: &Survey) -> String {
    let bold = anstyle::Style::new().bold();
    let verdict = &survey.verdict;
    let mut text = format!("{bold}NUMA: {}.{bold:#} {}\n", verdict.numa, sentence(survey));
    if verdict.numa == Numa::Undetermined {
        text.extend(
            verdict
                .reasons
                .iter()
                .map(|reason| printable::line(&reasons::reason(reason)).into_owned() + "\n"),
        );
    }
    if let Some(remedy) = would_settle(survey) {
        text.push_str(&format!("What would settle it: {}\n", printable::line(&remedy)));
    }
    text
}

/// What would settle an undetermined verdict, with the command that does it where there is one.
pub(crate) fn would_settle(survey: &Survey) -> Option<String> {
    let remedy = survey.verdict.would_settle.as_ref()?;
    let command = match remedy {
        Remedy::MoreRounds { rounds, so_far, standard_error, .. } => {
            // Rounds whose samples were all dropped are made as well.
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

/// The options that decide what was asked.
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

/// The survey that makes so many rounds, before it is precise enough to stop.
fn longer_survey(rounds: usize, standard_error: Option<f64>, mode: Mode, options: &str) -> String {
    let longer: &[(Mode, &str)] = match mode {
        Mode::Quick => &[(Mode::Default, ""), (Mode::Thorough, " --thorough")],
        Mode::Default => &[(Mode::Thorough, " --thorough")],
        Mode::Thorough => &[],
    };
    let goes_so_far = |(mode, _): &&(Mode, &str)| {
        let limits = mode.limits();
        rounds <= limits.most_rounds as usize
            && standard_error.is_none_or(|error| limits.standard_error <= error)
    };
    let most = Mode::Thorough.limits().most_rounds;
    match longer.iter().find(goes_so_far) {
        Some((mode, effort)) => {
            format!(": 'nearfar survey{effort}{options}' makes up to {}", mode.limits().most_rounds)
        }
        None if rounds > most as usize => {
            format!(
                "; no survey makes so many ({most} at most): stop other programs, or name quieter \
                 CPUs with --cpus"
            )
        }
        None => String::new(),
    }
}

/// The verdict's figures in a sentence.
pub(crate) fn sentence(survey: &Survey) -> String {
    let verdict = &survey.verdict;
    let figures = figures(verdict);
    match (verdict.numa, verdict.effect) {
        (Numa::Yes, Some(effect)) => {
            format!("The farthest memory costs {:.2} times the nearest {figures}.", 1.0 + effect)
        }
        (Numa::No, _) => {
            format!("Memory is uniform within {} {figures}.", percent(verdict.threshold))
        }
        _ => format!("{} {figures}", design(survey)).trim_end().to_owned() + ".",
    }
}

fn figures(verdict: &Verdict) -> String {
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

/// What there was to compare: "2 rows, 4 columns".
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
    fn more_rounds_name_the_survey_that_makes_them() {
        let said = |rounds, error, mode| longer_survey(rounds, error, mode, "");
        assert_eq!(said(40, None, Mode::Quick), ": 'nearfar survey' makes up to 60");
        assert_eq!(said(40, Some(0.006), Mode::Quick), ": 'nearfar survey' makes up to 60");
        // The plan without options stops at 0.5 %, before it has made so many.
        let thorough = ": 'nearfar survey --thorough' makes up to 240";
        assert_eq!(said(40, Some(0.004), Mode::Quick), thorough);
        assert_eq!(said(150, Some(0.004), Mode::Default), thorough);
        assert_eq!(said(150, Some(0.001), Mode::Default), "");
        assert_eq!(said(100, None, Mode::Thorough), "");
        let asked = longer_survey(40, None, Mode::Quick, " --threshold 1%");
        assert_eq!(asked, ": 'nearfar survey --threshold 1%' makes up to 60");
        assert!(said(500, None, Mode::Quick).contains("no survey makes so many (240 at most)"));
    }
}
