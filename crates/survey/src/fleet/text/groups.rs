//! The groups of a fleet.

use nearfar_view::text::count;

use crate::fleet::{FleetCellSummary, FleetDocument, FleetGroup, FleetShape, GroupState};

/// A sentence for each group.
pub fn groups(fleet: &FleetDocument) -> Vec<String> {
    let sentence = |(number, group): (usize, &FleetGroup)| {
        let machines = count(group.machines.len(), "machine");
        format!("group {number}: {machines}: {}. {}.", shape(&group.shape), state(group))
    };
    (1..).zip(&fleet.groups).map(sentence).collect()
}

/// A shape in a line.
fn shape(shape: &FleetShape) -> String {
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
                0 => "Not compared: too few machines have the same cell".to_owned(),
                cells => {
                    format!("Compared in {} of {}", count(cells, "cell"), instruments.join(", "))
                }
            }
        }
        GroupState::TooFew => "Not compared: a group needs 4 machines".to_owned(),
        GroupState::OtherThanReference => {
            "Not compared: the reference has another shape".to_owned()
        }
    }
}
