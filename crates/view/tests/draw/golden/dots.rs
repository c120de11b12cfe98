//! Three placements; one drifts.

use nearfar_view::draw::{DotRow, Dots, Heading, Quantity};

pub(crate) fn small() -> Dots {
    let row = |name: &str, values: &[f64], boxes: &[[f64; 3]], note: &str| DotRow {
        name: name.to_owned(),
        values: values.to_vec(),
        boxes: boxes.to_vec(),
        note: note.to_owned(),
    };
    Dots {
        heading: Heading::new(
            "Run time",
            "A dot a run, later runs lower; the box is the middle half, the line the median.",
        ),
        across: Quantity { label: "run time, s".to_owned(), ..Quantity::default() },
        rows: vec![
            row(
                "--cpunodebind=0",
                &[10.1, 10.2, 10.05, 10.3, 10.15],
                &[[10.1, 10.15, 10.2]],
                "fastest",
            ),
            row(
                "interleaved <all>",
                &[12.0, 12.2, 12.4, 12.6, 12.8, 13.0],
                &[[12.2, 12.5, 12.8]],
                "drifts",
            ),
            row("as it comes", &[11.0, f64::NAN, 14.2], &[], "1 run failed"),
        ],
    }
}
