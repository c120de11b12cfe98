//! Fast against steady.

use nearfar_view::draw::{Front, FrontPoint, Heading, Quantity};

use super::objective;
use crate::{ConfigurationResult, Sweep};

/// A point for each configuration with a median and a spread; none of fewer than two.
pub(super) fn draw(sweep: &Sweep) -> Option<Front> {
    let points: Vec<FrontPoint> = sweep
        .configurations
        .iter()
        .filter_map(|configuration| point(sweep, configuration))
        .collect();
    (points.len() > 1).then(|| Front {
        heading: Heading::with_marks(
            "Fast against steady",
            "Each configuration's median and its spread (standard deviation over mean, %)",
            [
                "On the front: those that no other beats in both.",
                "Whiskers: 95 % intervals of the median.",
            ],
        ),
        across: Quantity { label: format!("median {}", objective(sweep)), ..Quantity::default() },
        up: Quantity { label: "spread, %".to_owned(), from_zero: true, ..Quantity::default() },
        more_is_better: sweep.objective.higher_is_better,
        points,
    })
}

fn point(sweep: &Sweep, one: &ConfigurationResult) -> Option<FrontPoint> {
    let id = &one.configuration.id;
    let answers = &sweep.answers;
    let best = if sweep.objective.metric.is_some() { "best" } else { "fastest" };
    let notes = [(&answers.fastest, best), (&answers.steadiest, "steadiest")];
    let note: Vec<&str> = notes
        .into_iter()
        .filter(|(of, _)| of.as_deref() == Some(id))
        .map(|(_, word)| word)
        .collect();
    Some(FrontPoint {
        name: id.clone(),
        x: one.median?,
        y: 100.0 * one.cv?,
        interval: one.ci95,
        on_front: answers.front.contains(id),
        note: note.join(", "),
    })
}
