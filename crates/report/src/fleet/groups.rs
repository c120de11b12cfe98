//! The groups of a fleet.

use nearfar_fleet::{FleetCellSummary, FleetDocument, FleetGroup, FleetShape, GroupState};

use crate::count::count;

/// The columns of [`group_rows`].
pub(crate) const GROUP_COLUMNS: [&str; 4] = ["group", "machines", "shape", "compared"];

/// A line for each group.
pub(crate) fn group_rows(fleet: &FleetDocument) -> Vec<[String; 4]> {
    let rows = (1..).zip(&fleet.groups).map(|(number, group): (usize, _)| {
        [number.to_string(), group.machines.len().to_string(), shape(&group.shape), state(group)]
    });
    rows.collect()
}

/// A shape in a line.
pub(crate) fn shape(shape: &FleetShape) -> String {
    let memory = shape.memory_bytes.map(|bytes| format!(", {bytes}")).unwrap_or_default();
    let (packages, nodes) = (count(shape.packages, "package"), count(shape.nodes, "node"));
    format!("{}, {packages}, {nodes}, {}{memory}", shape.model, count(shape.cpus, "CPU"))
}

fn state(group: &FleetGroup) -> String {
    match group.state {
        GroupState::Compared => {
            let compared: Vec<&FleetCellSummary> =
                group.cells.iter().filter(|cell| cell.center.is_some()).collect();
            let mut instruments: Vec<&str> =
                compared.iter().map(|cell| cell.name.instrument.as_str()).collect();
            instruments.dedup();
            match compared.len() {
                0 => "no cell that enough machines have".to_owned(),
                cells => format!("{}: {}", count(cells, "cell"), instruments.join(", ")),
            }
        }
        GroupState::TooFew => "too few to judge: fewer than 4".to_owned(),
        GroupState::OtherThanReference => {
            "not compared: the reference has another shape".to_owned()
        }
    }
}
