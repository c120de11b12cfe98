//! Five placements; three are on the Pareto front.

use nearfar_view::draw::{Front, FrontPoint, Heading, Quantity};

pub(crate) fn small() -> Front {
    let point = |name: &str, x: f64, y: f64, on_front, note: &str| FrontPoint {
        name: name.to_owned(),
        x,
        y,
        interval: Some([x * 0.99, x * 1.02]),
        on_front,
        note: note.to_owned(),
    };
    let quantity = |label: &str| Quantity { label: label.to_owned(), ..Quantity::default() };
    Front {
        heading: Heading::new(
            "Fast and steady",
            "Filled points are the front: nothing is better both ways.",
        ),
        across: quantity("run time, s"),
        up: Quantity { from_zero: true, ..quantity("spread, %") },
        more_is_better: false,
        points: vec![
            point("--cpunodebind=0 --membind=0", 10.1, 4.2, true, "fastest"),
            point("interleaved <all>", 10.8, 1.9, true, ""),
            point("--cpunodebind=1", 12.0, 0.8, true, "steadiest"),
            point("as it comes", 11.9, 5.0, false, ""),
            point("--membind=1", 13.4, 2.4, false, ""),
        ],
    }
}
