//! Machines of one shape, with their figures as a matrix.

use std::collections::{BTreeMap, HashMap};

use nearfar_infer::fleet::FleetFigure;

use crate::fleet::FleetShape;
use crate::fleet::joined::JoinedMachine;

/// Machines of one shape.
pub(crate) struct ShapeGroup {
    pub(crate) shape: FleetShape,
    pub(crate) machines: Vec<JoinedMachine>,
}

/// Groups, the largest first.
pub(crate) fn groups(machines: Vec<JoinedMachine>) -> Vec<ShapeGroup> {
    let mut by_shape: BTreeMap<FleetShape, Vec<JoinedMachine>> = BTreeMap::new();
    for machine in machines {
        by_shape.entry(machine.shape.clone()).or_default().push(machine);
    }
    let mut groups: Vec<ShapeGroup> =
        by_shape.into_iter().map(|(shape, machines)| ShapeGroup { shape, machines }).collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.machines.len()));
    groups
}

impl ShapeGroup {
    /// The cells' numbers: those of the first machine in its order, then what others have beside
    /// them.
    pub(crate) fn cells(&self) -> Vec<u32> {
        let mut cells = Vec::new();
        let mut known = HashMap::new();
        for (cell, _) in self.machines.iter().flat_map(|machine| &machine.figures) {
            known.entry(*cell).or_insert_with(|| cells.push(*cell));
        }
        cells
    }

    /// The figures: a row for each machine, with these cells.
    pub(crate) fn matrix(&self, cells: &[u32]) -> Vec<Vec<Option<FleetFigure>>> {
        self.machines.iter().map(|machine| row_of(&machine.figures, cells)).collect()
    }
}

/// Figures in the order of these cells.
pub(crate) fn row_of(figures: &[(u32, FleetFigure)], cells: &[u32]) -> Vec<Option<FleetFigure>> {
    let known: HashMap<u32, FleetFigure> = figures.iter().copied().collect();
    cells.iter().map(|cell| known.get(cell).copied()).collect()
}
