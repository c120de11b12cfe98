//! The verdict of a sweep in a line, as hyperfine has it: which is faster, by how much, or why that
//! is not sure.

use nearfar_infer::trials::RatioTest;

use super::{failures, recipe};
use crate::answers::{Lead, SweepFinding};
use crate::{ConfigurationResult, Sweep};

/// "packed is 1.57 times faster than unbound (1.40 to 1.80)", or "not sure: ...".
pub fn verdict(sweep: &Sweep) -> String {
    recipe::verdict(sweep).unwrap_or_else(|| of_figures(sweep))
}

fn of_figures(sweep: &Sweep) -> String {
    let is_answer = |finding: &&SweepFinding| {
        matches!(
            finding,
            SweepFinding::TooFewRuns { .. }
                | SweepFinding::NothingToCompare { .. }
                | SweepFinding::AllAlike { .. }
                | SweepFinding::Fastest { .. }
        )
    };
    match sweep.answers.findings.iter().find(is_answer) {
        Some(SweepFinding::TooFewRuns { .. }) => {
            "not sure: differences need six runs of each configuration (--runs)".to_owned()
        }
        Some(SweepFinding::NothingToCompare { best }) => {
            format!("nothing compared: only {} ran", best.failures.id)
        }
        Some(SweepFinding::AllAlike { others_differ: false, .. }) => {
            "not sure: no difference is beyond chance".to_owned()
        }
        Some(SweepFinding::AllAlike { best, .. }) => {
            let id = &best.failures.id;
            format!("not sure: {id} has the best median, but the others may be as good")
        }
        Some(SweepFinding::Fastest { best, ahead, ties }) => {
            fastest(sweep, &best.failures.id, ahead.as_ref(), ties)
        }
        _ => format!("not sure: {}", no_answer(sweep)),
    }
}

/// Without an answer, no run succeeded.
fn no_answer(sweep: &Sweep) -> String {
    let runs = sweep.configurations.iter().flat_map(|one| &one.configuration.runs);
    match runs.max_by_key(|run| run.order).and_then(|run| run.failed.as_ref()) {
        Some(why) => format!("every run failed: {}", failures::sentence(why)),
        None => "no run was made".to_owned(),
    }
}

fn fastest(sweep: &Sweep, best: &str, ahead: Option<&Lead>, ties: &[String]) -> String {
    let answers = &sweep.answers;
    let compared = match ahead.filter(|ahead| ahead.real) {
        Some(ahead) => answers.difference_to_default.get(best).map(|test| (*test, &ahead.of)),
        None if answers.default.as_deref() == Some(best) => {
            next(sweep, ties).map(|(test, id)| (test.inverse(), id))
        }
        None => None,
    };
    let Some((test, of)) = compared else {
        let default = answers.default.as_deref().unwrap_or_default();
        return format!("not sure: {best} has the best median, but {default} may be as good");
    };
    let figure = match sweep.objective.metric {
        // As hyperfine counts: half of the time is twice as fast.
        None => {
            let RatioTest { ratio, ci95: [low, high], .. } = test.inverse();
            format!("is {} faster than {of} ({})", times(ratio), range(low, high))
        }
        Some(_) => {
            let RatioTest { ratio, ci95: [low, high], .. } = test;
            let name = &sweep.objective.name;
            format!("has {} the {name} of {of} ({})", times(ratio), range(low, high))
        }
    };
    let ties = match ties {
        [] => String::new(),
        [one] => format!("; {one} may be as good"),
        many => format!("; {} others may be as good", many.len()),
    };
    format!("{best} {figure}{ties}")
}

/// The second best of those that the reference beats beyond chance.
fn next<'s>(sweep: &'s Sweep, ties: &[String]) -> Option<(RatioTest, &'s String)> {
    let cost = |one: &ConfigurationResult| one.median.map(|median| sweep.objective.turned(median));
    let others = sweep.configurations.iter().filter(|one| !ties.contains(&one.configuration.id));
    let slower = others.filter_map(|one| {
        let id = &one.configuration.id;
        let test = sweep.answers.difference_to_default.get(id).filter(|test| test.real)?;
        Some((cost(one)?, *test, id))
    });
    let next = slower.min_by(|one, other| one.0.total_cmp(&other.0))?;
    Some((next.1, next.2))
}

fn times(ratio: f64) -> String {
    format!("{:.2} times", 1.0 + ratio)
}

fn range(low: f64, high: f64) -> String {
    format!("{:.2} to {:.2}", 1.0 + low, 1.0 + high)
}
