//! The tables of a sweep: what each configuration costs, and how its runs vary.

use nearfar_view::terminal::table::{Align, headed};
use nearfar_view::text::or_empty;
use nearfar_view::text::paragraph;
use nearfar_view::text::percent::share;

use super::figures::{change, four_digits, interval_or_range};
use crate::{ConfigurationResult, Sweep, is_really_fastest};

/// Medians, their intervals, and changes against the first configuration.
pub(super) fn medians(sweep: &Sweep) -> String {
    let head = ["configuration", unit(sweep), "95 % interval", "change", ""];
    let lines = sweep.configurations.iter().enumerate().map(|(at, one)| {
        let id = &one.configuration.id;
        let change = match sweep.answers.difference_to_default.get(id) {
            Some(compared) => change(compared.ratio, compared.real),
            None if at == 0 => "-".to_owned(),
            None => String::new(),
        };
        let (median, ci95) = (one.median.map(four_digits), interval_or_range(one));
        [id.clone(), or_empty(median), or_empty(ci95), change, marks(sweep, id)]
    });
    let (left, right) = (Align::Left, Align::Right);
    headed(head, lines, &[left, right, right, right, left]) + &notes(sweep)
}

/// Smallest and largest figures, spread and CPU time.
pub(super) fn runs(sweep: &Sweep) -> String {
    let head = ["configuration", "min", "max", "spread", "user", "system", "runs"];
    let lines = sweep.configurations.iter().map(|configuration| {
        let figures =
            [configuration.min, configuration.max].map(|figure| or_empty(figure.map(four_digits)));
        let times =
            [configuration.user_s, configuration.sys_s].map(|time| or_empty(time.map(four_digits)));
        let ([min, max], [user, system]) = (figures, times);
        let spread = or_empty(configuration.cv.map(share));
        [
            configuration.configuration.id.clone(),
            min,
            max,
            spread,
            user,
            system,
            count(configuration),
        ]
    });
    let note = paragraph::of("user, system: median CPU time of a run in seconds", "", "  ");
    headed(head, lines, &[Align::Left, Align::Right]) + &note
}

fn unit(sweep: &Sweep) -> &str {
    if sweep.objective.metric.is_some() { &sweep.objective.name } else { "seconds" }
}

fn notes(sweep: &Sweep) -> String {
    let differences = &sweep.answers.difference_to_default;
    let Some(first) = sweep.configurations.first().filter(|_| !differences.is_empty()) else {
        return String::new();
    };
    let reference = &first.configuration.id;
    let change = format!("change: the ratio of the medians, against {reference}");
    let mut text = paragraph::of(&change, "", "  ");
    if differences.values().any(|compared| !compared.real) {
        text +=
            &paragraph::of("?: not significant at 5 %, over all pairs of configurations", "", "  ");
    }
    text
}

fn count(one: &ConfigurationResult) -> String {
    match one.failed {
        0 => one.configuration.runs.len().to_string(),
        failed => format!("{} ({failed} failed)", one.configuration.runs.len()),
    }
}

fn marks(sweep: &Sweep, id: &String) -> String {
    let answers = &sweep.answers;
    if sweep.configurations.len() < 2 {
        return String::new();
    }
    let is_fastest = answers.fastest.as_ref() == Some(id) && is_really_fastest(sweep, answers);
    let marks = [
        (
            is_fastest && answers.as_fast.is_empty(),
            if sweep.objective.metric.is_some() { "best" } else { "fastest" },
        ),
        (is_fastest && !answers.as_fast.is_empty(), "best median"),
        (answers.steadiest.as_ref() == Some(id) && answers.is_really_steadiest(), "steadiest"),
        (answers.bimodal.iter().any(|one| one.id == *id), "bimodal"),
    ];
    marks.iter().filter(|(holds, _)| *holds).map(|(_, mark)| *mark).collect::<Vec<_>>().join(", ")
}
