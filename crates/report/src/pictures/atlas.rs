//! Published latencies as dots, a row for each source; a survey's above them.

use nearfar_survey::atlas::{AtlasRow, MachineFigures};
use nearfar_view::draw::{DotRow, Dots, Heading, Quantity};

use crate::atlas::{latency_method, mode};

/// The rows that have latency; none where none has.
pub fn atlas(rows: &[&AtlasRow], machine: Option<&MachineFigures>) -> Option<Dots> {
    let own = machine.map(own).filter(|own| !own.values.is_empty());
    let published = rows.iter().filter(|row| latency_method(row).is_some()).map(|row| DotRow {
        name: format!("{} {}", short(&row.cpu), mode(row)),
        values: row
            .local()
            .into_iter()
            .chain(row.remote())
            .flat_map(nearfar_survey::atlas::Span::ends)
            .collect(),
        note: row.method.name().to_owned(),
        ..DotRow::default()
    });
    let rows: Vec<DotRow> = own.into_iter().chain(published).collect();
    (!rows.is_empty()).then(|| Dots {
        heading: Heading::with_marks(
            "Published latency, ns",
            "Lowest and highest local and remote latency of each source, with its method at the \
             end of the row",
            ["Methods differ by up to 40 %: compare rows of one method."],
        ),
        across: Quantity { label: "latency, ns".to_owned(), ..Quantity::default() },
        rows,
    })
}

/// Without vendor and line, which a picture has no room for.
fn short(cpu: &str) -> &str {
    ["Intel Xeon ", "Intel ", "AMD "]
        .iter()
        .find_map(|start| cpu.strip_prefix(start))
        .unwrap_or(cpu)
}

/// The machine of a survey.
fn own(machine: &MachineFigures) -> DotRow {
    DotRow {
        name: "this machine".to_owned(),
        values: machine.latency.iter().map(|cell| cell.median).collect(),
        note: "nearfar".to_owned(),
        ..DotRow::default()
    }
}
