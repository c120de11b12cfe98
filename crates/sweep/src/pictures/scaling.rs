//! Figures over jobs, with the law that fits.

use nearfar_view::draw::{
    AxisScale, CurvePoint, Curves, Heading, Numbers, PlaceMark, Quantity, Series,
};

use super::objective;
use crate::Sweep;
use crate::answers::JobsCurve;

/// Points of a fitted curve from one job to the next.
const STEPS: usize = 64;

/// A line for each curve over jobs; none where jobs were not varied.
pub(super) fn draw(sweep: &Sweep) -> Option<Curves> {
    let curves = &sweep.answers.scaling;
    if curves.iter().all(|curve| curve.points.len() < 2) {
        return None;
    }
    Some(Curves {
        heading: Heading::with_marks(
            format!("{} over jobs", objective(sweep)),
            "Median of the runs at each number of jobs",
            meanings(curves),
        ),
        across: Quantity {
            label: "jobs".to_owned(),
            numbers: Numbers::Whole,
            ..Quantity::default()
        },
        up: Quantity {
            label: objective(sweep),
            spacing: AxisScale::Linear,
            from_zero: true,
            ..Quantity::default()
        },
        series: curves.iter().map(|curve| series(sweep, curve)).collect(),
        marks: if curves.len() == 1 {
            curves.iter().filter_map(stop).collect()
        } else {
            Vec::new()
        },
    })
}

/// What is drawn beside the medians.
fn meanings(curves: &[JobsCurve]) -> Vec<&'static str> {
    let mut meanings = vec!["Bars: 95 % intervals."];
    if curves.iter().any(|curve| curve.scaling.law.is_some()) {
        meanings.push("Thin: the law that fits (Amdahl's, or the Universal Scalability Law).");
    }
    if matches!(curves, [one] if one.scaling.stops_paying_at.is_some()) {
        meanings.push("A mark: more jobs are not really faster than that.");
    }
    meanings
}

fn series(sweep: &Sweep, curve: &JobsCurve) -> Series {
    let interval = |jobs: usize, median: f64| {
        let mut same = sweep.configurations.iter().filter(|configuration| {
            let same = &configuration.configuration;
            same.jobs == jobs && configuration.median == Some(median) && curve.of == same.curve()
        });
        same.next().and_then(|same| same.ci95)
    };
    let points = curve.points.iter().map(|&(jobs, y)| CurvePoint {
        x: jobs as f64,
        y,
        interval: interval(jobs, y),
    });
    Series { name: curve.of.clone(), points: points.collect(), fit: fit(sweep, curve) }
}

fn fit(sweep: &Sweep, curve: &JobsCurve) -> Vec<[f64; 2]> {
    let ends = curve.points.iter().map(|(jobs, _)| *jobs as f64);
    let (Some(law), Some(first), Some(last)) =
        (curve.scaling.law, ends.clone().reduce(f64::min), ends.reduce(f64::max))
    else {
        return Vec::new();
    };
    (0..=STEPS)
        .map(|step| first + (last - first) * step as f64 / STEPS as f64)
        .map(|jobs| [jobs, sweep.objective.turned(law.time(jobs))])
        .collect()
}

fn stop(curve: &JobsCurve) -> Option<PlaceMark> {
    let at = curve.scaling.stops_paying_at?;
    Some(PlaceMark {
        x: f64::from(at),
        interval: None,
        label: format!("more than {at} do not pay"),
        claimed: false,
    })
}
