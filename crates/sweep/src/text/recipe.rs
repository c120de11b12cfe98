//! The answer of a recipe: what its unit gets, or that there is nothing to gain.

use nearfar_infer::trials::RatioTest;
use nearfar_model::NodeSet;
use nearfar_view::text::percent::share;

use super::figures::{four_digits, interval_or_range};
use super::sentences;
use crate::answers::SweepFinding;
use crate::configuration::PER_NODE;
use crate::{Objective, Sweep, SweepRecipe};

/// A gain that hardly pays a change.
const SMALL: f64 = 0.05;

/// "Should ...? Nothing to gain here: ..."
pub(super) fn answer(sweep: &Sweep, recipe: &SweepRecipe) -> String {
    let found = match verdict(sweep) {
        Some(verdict) => format!("{}.{}", capitalised(&verdict), unbound(sweep)),
        None => sentences(sweep).into_iter().next().unwrap_or_default(),
    };
    format!("{} {found}", recipe.question)
}

/// Where nothing is to be gained; `None` where something is, or where that is open.
pub(super) fn verdict(sweep: &Sweep) -> Option<String> {
    sweep.recipe.as_ref()?;
    sweep.configurations.first()?.median?;
    let nodes: Option<NodeSet> = sweep.machine.nodes.parse().ok();
    if sweep.configurations.len() == 1 {
        let is_one = nodes.is_some_and(|nodes| nodes.len() == 1);
        return is_one.then(|| "nothing to gain here: this machine has one node".to_owned());
    }
    let is_open = |finding: &SweepFinding| matches!(finding, SweepFinding::TooFewRuns { .. });
    let answers = &sweep.answers;
    let has_winner = answers.run_line.is_some() && answers.fastest != answers.default;
    if has_winner || answers.findings.iter().any(is_open) {
        return None;
    }
    let gains = answers.difference_to_default.iter();
    let gains = gains.map(|(id, test)| (id, largest_gain(test, &sweep.objective)));
    let (id, gain) = gains.max_by(|one, other| one.1.total_cmp(&other.1))?;
    // No -0.0 %.
    let most = share(gain + 0.0);
    let text = match gain {
        ..0.0 => "nothing to gain: all others are worse".to_owned(),
        ..=SMALL => {
            format!("nothing to gain, within {most} (the end of the 95 % interval of {id})")
        }
        _ => format!(
            "not sure: no gain is shown, and up to {most} is possible (the end of the 95 % \
             interval of {id}); --precision makes more runs"
        ),
    };
    Some(text + &without_figure(sweep))
}

/// What the answer is not about: configurations that have nothing to be compared.
fn without_figure(sweep: &Sweep) -> String {
    let all = sweep.configurations.iter().map(|one| (&one.configuration.id, one.median));
    let missing: Vec<&str> =
        all.filter(|(_, median)| median.is_none()).map(|(id, _)| id.as_str()).collect();
    match missing.is_empty() {
        true => String::new(),
        false => format!("; without a figure: {}", missing.join(", ")),
    }
}

/// How much less time, or how much more of what is better, it may be at most.
fn largest_gain(test: &RatioTest, objective: &Objective) -> f64 {
    let [low, high] = test.ci95;
    if objective.higher_is_better { high } else { -low }
}

/// " Unbound: 367800 GET/s (360000 to 370000)."
fn unbound(sweep: &Sweep) -> String {
    let Some((first, median)) =
        sweep.configurations.first().and_then(|first| Some((first, first.median?)))
    else {
        return String::new();
    };
    let unit = if sweep.objective.metric.is_some() { &sweep.objective.name } else { "s" };
    let range = interval_or_range(first).map_or_else(String::new, |range| format!(" ({range})"));
    let id = capitalised(&first.configuration.id);
    format!(" {id}: {} {unit}{range}.", four_digits(median))
}

/// What the unit of the best gets; empty where nothing is to be changed there.
pub(super) fn unit(sweep: &Sweep) -> String {
    let Some(recipe) = &sweep.recipe else { return String::new() };
    let answers = &sweep.answers;
    let best = answers.fastest.as_ref().filter(|_| answers.run_line.is_some());
    let lines = best.and_then(|id| recipe.unit_lines.get(id));
    let (Some(lines), Some(unit)) = (lines, &recipe.unit) else { return String::new() };
    if verdict(sweep).is_some() {
        return String::new();
    }
    let is_per_node = |id: &String| id.split(' ').next() == Some(PER_NODE);
    let head = match best.is_some_and(is_per_node) {
        true => format!("Make a unit for each node of {unit}, and add:"),
        false => format!("Add to the unit (systemctl edit {unit}):"),
    };
    let lines: String = lines.lines().map(|line| format!("    {line}\n")).collect();
    format!("{head}\n{lines}")
}

fn capitalised(text: &str) -> String {
    let mut all = text.chars();
    all.next().map_or_else(String::new, |first| first.to_uppercase().chain(all).collect())
}
