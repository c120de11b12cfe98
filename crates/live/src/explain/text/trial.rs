//! Whether a cure paid.

use nearfar_model::Bytes;
use nearfar_view::terminal::printable;
use nearfar_view::text::percent::{change, changes};

use super::labelled;
use crate::explain::{
    CureKind, Direction, Metric, MetricKind, TrialDocument, TrialPlacement, TrialVerdict,
    TrialledProcess,
};

/// The trial and its result.
pub(super) fn text(trial: &TrialDocument) -> String {
    let blocks = trial.periods.iter().map(|period| period.block + 1).max().unwrap_or(0);
    let metric = metric(&trial.metric);
    let mut text = "Trial\n".to_owned();
    text += &labelled(
        "Tried",
        &format!(
            "{}: {blocks} times there and back, in random order, {} s each.",
            what(trial),
            trial.period_s
        ),
    );
    text += &labelled("Figures", &format!("{metric}: {}.", medians(trial)));
    text += &labelled("Result", &result(trial, &metric));
    let dropped = trial.periods.iter().filter(|period| period.dropped.is_some()).count();
    if dropped > 0 {
        text += &labelled(
            "Dropped",
            &format!(
                "{dropped} of {} periods: without a figure, or something else moved pages.",
                trial.periods.len()
            ),
        );
    }
    text + &labelled("After", &after(&trial.processes))
}

/// What is read.
pub(super) fn metric(metric: &Metric) -> String {
    let name = printable::line(&metric.name);
    match metric.kind {
        MetricKind::Command if metric.is_counter => format!("'{name}' per second"),
        MetricKind::Command => format!("'{name}'"),
        MetricKind::Counter => format!("{name} per second"),
        MetricKind::Cpi => name.into_owned(),
    }
}

fn what(trial: &TrialDocument) -> String {
    let memory = trial.object.as_deref().map_or("Memory".into(), printable::line);
    match &trial.cure {
        CureKind::MovePages { node } => format!("{memory} on node {node}"),
        CureKind::Interleave { nodes } => format!("{memory} interleaved over nodes {nodes}"),
        CureKind::MoveThreads { node, .. } => format!("Threads on node {node}"),
        CureKind::Balancing => "The kernel's balancing".to_owned(),
    }
}

/// "median 812 as it was, 1043 with the cure".
fn medians(trial: &TrialDocument) -> String {
    let median = |placement: TrialPlacement| {
        let counted = trial.periods.iter().filter(|period| period.dropped.is_none());
        let mut figures: Vec<f64> = counted
            .filter(|period| period.placement == placement)
            .filter_map(|period| period.figure)
            .collect();
        figures.sort_by(f64::total_cmp);
        let middle = figures.get(figures.len() / 2)?;
        let below = figures.get(figures.len().saturating_sub(1) / 2)?;
        Some(digits((middle + below) / 2.0))
    };
    let shown = |figure: Option<String>| figure.unwrap_or_else(|| "none".to_owned());
    format!(
        "median {} as it was, {} with the cure",
        shown(median(TrialPlacement::AsItWas)),
        shown(median(TrialPlacement::Cured))
    )
}

/// Four significant digits, or all of a large number.
fn digits(figure: f64) -> String {
    let whole = figure.abs().log10().floor().max(-9.0) as i32;
    let decimals = usize::try_from(3 - whole).unwrap_or(0);
    format!("{figure:.decimals$}")
}

/// The result in a sentence.
pub(super) fn verdict(trial: &TrialDocument) -> String {
    result(trial, &metric(&trial.metric))
}

fn result(trial: &TrialDocument, metric: &str) -> String {
    let Some(found) = &trial.change else {
        return "No result: fewer than three blocks have both figures. Give more --blocks, or a \
                longer --period."
            .to_owned();
    };
    let numbers = format!("{} (95 % interval {})", change(found.value), changes(found.ci95));
    match trial.verdict {
        TrialVerdict::Pays => format!("It pays: {metric} {numbers}."),
        TrialVerdict::Costs => format!("It costs: {metric} {numbers}."),
        TrialVerdict::NoGain => format!("No gain beyond 2 %: {metric} {numbers}."),
        TrialVerdict::Undetermined | TrialVerdict::TooFewBlocks => {
            let better = match trial.metric.direction {
                Direction::MoreIsBetter => "more",
                Direction::LessIsBetter => "less",
            };
            format!(
                "Undetermined: {metric} {numbers}, where {better} is better. More --blocks, or a \
                 longer --period, narrow the interval."
            )
        }
    }
}

/// Whether pages are where they were.
pub(super) fn after(processes: &[TrialledProcess]) -> String {
    let sum = |of: fn(&TrialledProcess) -> Bytes| processes.iter().map(of).sum::<Bytes>();
    let restored = sum(|one| one.restored_bytes);
    let unrestored = sum(|one| one.unrestored_bytes);
    let unmoved = sum(|one| one.unmoved_bytes);
    let mut sentence = format!("Pages are where they were: {restored}.");
    if unrestored > Bytes(0) {
        sentence =
            format!("{restored} are where they were; the kernel did not move {unrestored} back.");
    }
    if unmoved > Bytes(0) {
        sentence += &format!(" {unmoved} did not move with the cure (shared, or pinned).");
    }
    if processes.iter().any(|process| process.has_ended) {
        sentence += " A process ended meanwhile.";
    }
    sentence
}
