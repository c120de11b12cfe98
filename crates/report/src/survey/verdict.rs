//! The verdict in one sentence, its reasons, and what would settle it.

mod compared;
pub(crate) mod reasons;

use nearfar_infer::{Numa, NumaReason, NumaVerdict, Remedy, THRESHOLD};
use nearfar_survey::{Mode, Options, Survey};

use super::{MatrixIndex, Verbosity};
use nearfar_view::text::count;
use nearfar_view::text::or_empty;
use nearfar_view::text::paragraph;

/// Why a verdict is undetermined, and what would settle it.
pub(super) fn open_points(survey: &Survey, verbosity: Verbosity) -> String {
    let verdict = &survey.verdict;
    let mut text = String::new();
    if verdict.numa == Numa::Undetermined && !verdict.reasons.is_empty() {
        text += "Why it is undetermined\n";
        let reasons = verdict.reasons.iter();
        text.extend(reasons.map(|reason| paragraph::remark(&reasons::reason(reason, verbosity))));
    }
    // With a latency, "What to do" has it.
    if let Some(remedy) = would_settle(survey, verbosity).filter(|_| survey.latency.rows.is_empty())
    {
        text += &paragraph::of(&remedy, "What would settle it: ", "  ");
    }
    text
}

/// The verdict with its figures; with its evidence where that is wanted.
pub(super) fn line(survey: &Survey, verbosity: Verbosity) -> String {
    let head = format!("NUMA: {}. ", answer(&survey.verdict));
    let sentence = match verbosity {
        Verbosity::Brief => without_evidence(survey),
        Verbosity::Verbose => sentence(survey),
    };
    let rest = match survey.verdict.is_among_shown() {
        true => format!("{sentence} {}", reasons::not_searched_sentence()),
        false => sentence,
    };
    paragraph::with_bold_head(&head, &rest, "  ")
}

/// "yes", "no", "undetermined"; "no, among the nodes shown" where others may be hidden.
pub(crate) fn answer(verdict: &NumaVerdict) -> String {
    let scope = if verdict.is_among_shown() { ", among the nodes shown" } else { "" };
    format!("{}{scope}", verdict.numa)
}

/// "NUMA: yes, remote memory 1.84 times local (1.82 to 1.86)".
pub(super) fn in_short(survey: &Survey) -> String {
    let verdict = &survey.verdict;
    let what = match (verdict.numa, verdict.effect) {
        (Numa::Yes, Some(effect)) => {
            let [slow, fast] = compared(survey);
            format!("{slow} {}{:.2} times {fast}{}", least(verdict), 1.0 + effect, times(verdict))
        }
        (Numa::No, _) => {
            let most = verdict.ci95.map(|[_, high]| format!(" (at most {:.1} %)", 100.0 * high));
            let within = percent(verdict.threshold);
            let unsearched = match verdict.is_among_shown() {
                true => format!("; {}", reasons::not_searched()),
                false => String::new(),
            };
            format!("latency is uniform within {within}{}{unsearched}", most.unwrap_or_default())
        }
        _ => why_undetermined(survey),
    };
    let joint = if verdict.is_among_shown() { ":" } else { "," };
    format!("NUMA: {}{joint} {what}", answer(verdict))
}

/// The slowest and the fastest memory of the verdict, in words.
fn compared(survey: &Survey) -> [&'static str; 2] {
    let matrix = &survey.latency;
    let grid = MatrixIndex::from_matrix(matrix);
    let is_least = |row: usize| {
        let own = matrix.columns.iter().position(|column| column.node == matrix.rows[row].node)?;
        let own = matrix.rows[row].node.and_then(|_| grid.median(row, own))?;
        let mut medians = (0..matrix.columns.len()).filter_map(|column| grid.median(row, column));
        Some(medians.all(|median| own <= median))
    };
    let local_is_fastest = (0..matrix.rows.len()).all(|row| is_least(row) == Some(true));
    match (local_is_fastest, matrix.columns.len()) {
        (true, 2) => ["remote memory", "local"],
        (true, 3..) => ["the slowest memory", "local"],
        _ => ["the slowest memory", "the fastest"],
    }
}

fn least(verdict: &NumaVerdict) -> &'static str {
    if verdict.reasons.contains(&NumaReason::MemoryNotSeen) { "at least " } else { "" }
}

/// " (1.82 to 1.86)".
fn times(verdict: &NumaVerdict) -> String {
    let ratio = verdict.ci95.map(|ends| ends.map(|end| 1.0 + end));
    or_empty(ratio.map(|[low, high]| format!(" ({low:.2} to {high:.2})")))
}

/// The difference and its interval, or why there is none.
fn why_undetermined(survey: &Survey) -> String {
    let verdict = &survey.verdict;
    if let (Some(effect), Some([low, high])) = (verdict.effect, verdict.ci95) {
        let [effect, low, high] = [effect, low, high].map(|share| 100.0 * share);
        return format!("largest difference {effect:+.1} % ({low:.1} to {high:.1} %)");
    }
    let reason = verdict.reasons.first();
    let reason = reason.map(|reason| reasons::reason(reason, Verbosity::Brief));
    reason.unwrap_or_else(|| design(survey))
}

/// The verdict in a sentence: its figures and their intervals.
fn without_evidence(survey: &Survey) -> String {
    let verdict = &survey.verdict;
    match (verdict.numa, verdict.effect, verdict.ci95) {
        (Numa::Yes, Some(effect), _) => {
            compared::sentence(survey, least(verdict), effect) + &times(verdict) + "."
        }
        (Numa::No, Some(effect), Some([low, high])) => format!(
            "Memory latency is uniform within {} (largest difference {:+.1} %, {:+.1} to {:+.1} \
             %).",
            percent(verdict.threshold),
            100.0 * effect,
            100.0 * low,
            100.0 * high
        ),
        (Numa::No, ..) => {
            format!("Memory latency is uniform within {}.", percent(verdict.threshold))
        }
        (_, Some(_), Some(_)) => undetermined(survey),
        _ => format!("{}.", design(survey)),
    }
}

/// What would settle an undetermined verdict, with the command that does it where there is one.
pub(crate) fn would_settle(survey: &Survey, verbosity: Verbosity) -> Option<String> {
    let remedy = survey.verdict.would_settle.as_ref()?;
    let command = match remedy {
        Remedy::MoreRounds { rounds, so_far, standard_error, .. } => {
            // Rounds whose samples were all dropped take time, too.
            let lost = f64::from(survey.provenance.rounds) / (*so_far).max(1) as f64;
            let rounds = (*rounds as f64 * lost.max(1.0)).ceil() as usize;
            let mode = survey.provenance.options.mode;
            longer_survey(rounds, *standard_error, mode, &same_options(survey), verbosity)
        }
        _ => String::new(),
    };
    Some(reasons::remedy(remedy, verbosity) + &command)
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
fn longer_survey(
    rounds: usize,
    standard_error: Option<f64>,
    mode: Mode,
    options: &str,
    verbosity: Verbosity,
) -> String {
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
        Some((_, effort)) if verbosity == Verbosity::Brief => {
            format!(": 'nearfar survey{effort}{options}'")
        }
        None if rounds > most as usize && verbosity == Verbosity::Brief => {
            ": stop other programs, or select idle CPUs with --cpus".to_owned()
        }
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
            format!("{} {figures}.", compared::sentence(survey, least(verdict), effect))
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
        let all = Verbosity::Verbose;
        let command = |rounds, error, mode| longer_survey(rounds, error, mode, "", all);
        assert_eq!(command(40, None, Mode::Quick), ": 'nearfar survey' makes up to 60");
        assert_eq!(command(40, Some(0.006), Mode::Quick), ": 'nearfar survey' makes up to 60");
        // Without options a survey stops at 0.5 %, before that round.
        let thorough = ": 'nearfar survey --thorough' makes up to 240";
        assert_eq!(command(40, Some(0.004), Mode::Quick), thorough);
        assert_eq!(command(150, Some(0.004), Mode::Default), thorough);
        assert_eq!(command(150, Some(0.001), Mode::Default), "");
        assert_eq!(command(100, None, Mode::Thorough), "");
        let with_threshold = longer_survey(40, None, Mode::Quick, " --threshold 1%", all);
        assert_eq!(with_threshold, ": 'nearfar survey --threshold 1%' makes up to 60");
        assert!(command(500, None, Mode::Quick).contains("a survey makes at most 240"));
        let brief = longer_survey(40, None, Mode::Quick, "", Verbosity::Brief);
        assert_eq!(brief, ": 'nearfar survey'");
    }
}
