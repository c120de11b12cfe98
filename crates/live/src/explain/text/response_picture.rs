//! A response as a picture: its points and the line through them.

use nearfar_view::draw::{CurvePoint, Curves, Heading, Quantity, Series};
use nearfar_view::terminal::printable;

use super::response::verdict;
use crate::explain::{DoseUnit, ResponseDocument};

/// Points of the fitted line.
const STEPS: u32 = 32;

/// Relative time over latency; `None` without a result.
pub fn response_picture(document: &ResponseDocument) -> Option<Curves> {
    document.response.effect?;
    let points = document.points.iter().map(|point| CurvePoint {
        x: point.dose,
        y: point.time.value,
        interval: Some(point.time.ci95),
    });
    let found = &document.response;
    let at = |step: u32| {
        found.lowest + (found.highest - found.lowest) * f64::from(step) / f64::from(STEPS)
    };
    let line = |end: fn(&nearfar_infer::response::ResponseFigure) -> f64| {
        let time = move |x: f64| Some([x, end(&found.time_at(x)?)]);
        (0..=STEPS).filter_map(|step| time(at(step))).collect::<Vec<[f64; 2]>>()
    };
    let edge = |name: &str, end: fn(&nearfar_infer::response::ResponseFigure) -> f64| Series {
        name: name.to_owned(),
        points: Vec::new(),
        fit: line(end),
    };
    let label = match document.unit {
        DoseUnit::Nanoseconds => "mean latency, ns",
        DoseUnit::FarShare => "share of far memory",
    };
    Some(Curves {
        heading: Heading::with_marks(
            format!("Response of {} to far memory", printable::line(document.program())),
            "Relative time by the mean latency of memory, all near memory is 1",
            [
                "Bars: 95 % intervals of each dose.",
                "Thin: the line that fits, and its 95 % interval.",
                &verdict(document),
            ],
        ),
        across: Quantity { label: label.to_owned(), ..Quantity::default() },
        up: Quantity { label: "relative time".to_owned(), ..Quantity::default() },
        series: vec![
            Series {
                name: "measured".to_owned(),
                points: points.collect(),
                fit: line(|time| time.value),
            },
            edge("95 % interval, low", |time| time.ci95[0]),
            edge("95 % interval, high", |time| time.ci95[1]),
        ],
        marks: Vec::new(),
    })
}
