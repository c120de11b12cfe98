//! Two packages of two nodes each: one node is unmeasured, one differs from firmware's claim.

use nearfar_view::draw::{Heading, HeatCell, HeatLevel, HeatMap, HeatNote};

pub(crate) fn small() -> HeatMap {
    let figures =
        [[97.3, 112.0, 210.4, 215.9], [111.2, 96.8, 214.7, 209.9], [209.0, 216.3, 98.1, 160.2]];
    let level = |value: f64| HeatLevel { value, shown: format!("{value:.0}") };
    let cell = |value: f64, row: usize, column: usize| {
        let local = row == column;
        HeatCell {
            value,
            shown: format!("{value:.0}"),
            exact: Some(format!("{value:.1} ±0.6")),
            beneath: vec![HeatNote {
                text: if local { "10" } else { "21" }.into(),
                is_in_exact: false,
            }],
            tooltip: format!("{value} ns, 95 % interval {:.1} to {:.1}", value - 0.6, value + 0.6),
            marked: (row, column) == (2, 3),
            levels: ((row, column) == (1, 3)).then(|| [level(159.8), level(209.9)]),
        }
    };
    let row = |(r, values): (usize, &[f64; 4])| {
        let measured =
            |(c, value): (usize, &f64)| (!(r == 1 && c == 2)).then(|| cell(*value, r, c));
        values.iter().enumerate().map(measured).collect()
    };
    HeatMap {
        heading: Heading::new("Latency, ns", "Rows are CPUs, columns are the memory they read."),
        unit: "ns".to_owned(),
        row_axis: "CPUs".to_owned(),
        column_axis: "memory of node".to_owned(),
        rows: ["node 0", "node 1", "node 2 <b>"].map(str::to_owned).into(),
        columns: ["0", "1", "2", "3 & 4"].map(str::to_owned).into(),
        cells: figures.iter().enumerate().map(row).collect(),
        beneath_note: "what firmware claims".to_owned(),
        mark_note: "the claim does not hold".to_owned(),
        ..HeatMap::default()
    }
}
