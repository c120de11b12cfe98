//! Machines and cells as a map: how much slower each is than the others.

use std::collections::{HashMap, HashSet};

use nearfar_view::draw::{Heading, HeatCell, HeatMap, MapScale};
use nearfar_view::text::count;

use crate::fleet::text::figure_of;
use crate::fleet::{FleetCellName, FleetDocument, FleetFinding, FleetGroup, GroupState};

/// Machines, and cells, of one map.
const MAX_MACHINES: usize = 40;
const MAX_CELLS: usize = 24;
/// Machines without an outlier that are shown where not all are.
const MAX_HEALTHY: usize = 8;
/// The colours' ends: deviations up to this fraction at least.
const MIN_END: f64 = 0.1;

/// The column of machines that are compared beside their other cells.
const OTHER_CELLS: &str = "its other cells";

/// The map of each instrument of a compared group.
pub fn maps(fleet: &FleetDocument, number: usize) -> Vec<HeatMap> {
    let group = &fleet.groups[number];
    if group.state != GroupState::Compared {
        return Vec::new();
    }
    let cells: Vec<usize> =
        (0..group.cells.len()).filter(|at| group.cells[*at].center.is_some()).collect();
    let kind = |at: &usize| {
        let name = &group.cells[*at].name;
        (&name.instrument, &name.probe, name.unit)
    };
    let by_instrument = cells.chunk_by(|a, b| kind(a) == kind(b));
    by_instrument.map(|cells| FleetMap::new(fleet, number, cells).draw()).collect()
}

/// One instrument's cells of a group.
struct FleetMap<'f> {
    group: &'f FleetGroup,
    found: HashSet<(&'f str, &'f FleetCellName)>,
    /// Of machines that are compared beside their other cells: the median ratio of those.
    others: HashMap<&'f str, f64>,
    /// Indexes of machines and cells that are shown.
    machines: Vec<usize>,
    cells: Vec<usize>,
    all_cells: usize,
}

impl<'f> FleetMap<'f> {
    fn new(fleet: &'f FleetDocument, number: usize, cells: &[usize]) -> Self {
        let group = &fleet.groups[number];
        let is_here = |finding: &&FleetFinding| {
            finding.group == number && cells.iter().any(|&at| group.cells[at].name == finding.cell)
        };
        let found: HashSet<(&str, &FleetCellName)> = fleet
            .findings
            .iter()
            .filter(is_here)
            .map(|finding| (&*finding.machine, &finding.cell))
            .collect();
        let here = fleet.findings.iter().filter(is_here);
        let others = here.filter_map(|one| Some((&*one.machine, one.other_cells?))).collect();
        let all_cells = cells.len();
        let has_outlier =
            |at: &usize| found.iter().any(|(_, cell)| **cell == group.cells[*at].name);
        // An outlier that shares no cause is in this cell alone.
        let alone = fleet
            .findings
            .iter()
            .filter(|finding| finding.group == number && finding.cause.is_none());
        let alone: HashSet<&FleetCellName> = alone.map(|finding| &finding.cell).collect();
        let cell_deviation = |at: &usize| {
            let of_machines = group.machines.iter().map(|machine| machine.ratios[*at]);
            if alone.contains(&group.cells[*at].name) { f64::MAX } else { largest(of_machines) }
        };
        let cells = interesting(cells.to_vec(), MAX_CELLS, MAX_CELLS, has_outlier, cell_deviation);
        let is_outlier =
            |at: &usize| found.iter().any(|(name, _)| *name == group.machines[*at].name);
        let machine_deviation = |at: &usize| {
            let ratios = &group.machines[*at].ratios;
            largest(cells.iter().map(|&cell| ratios[cell]))
        };
        let all = (0..group.machines.len()).collect();
        let machines = interesting(all, MAX_MACHINES, MAX_HEALTHY, is_outlier, machine_deviation);
        Self { group, found, others, machines, cells, all_cells }
    }

    fn draw(&self) -> HeatMap {
        let first = &self.group.cells[self.cells[0]].name;
        let row = |&machine: &usize| -> Vec<Option<HeatCell>> {
            let cells = self.cells.iter().map(|&cell| self.cell(machine, cell));
            cells.chain(self.has_others().then(|| self.other_cells(machine))).collect()
        };
        let cells: Vec<Vec<Option<HeatCell>>> = self.machines.iter().map(row).collect();
        let values = cells.iter().flatten().flatten().map(|cell| cell.value.abs());
        let end = values.fold(100.0 * MIN_END, f64::max);
        let columns = self.cells.iter().map(|&at| self.group.cells[at].name.to_string());
        HeatMap {
            heading: self.heading(&first.instrument),
            unit: "%".to_owned(),
            row_axis: "host".to_owned(),
            column_axis: "from and to".to_owned(),
            rows: self.machines.iter().map(|&at| self.group.machines[at].name.clone()).collect(),
            columns: columns.chain(self.has_others().then(|| OTHER_CELLS.to_owned())).collect(),
            cells,
            figures: Vec::new(),
            scale: MapScale::Diverging(end),
            more_is_better: false,
            beneath_note: String::new(),
            mark_note: "outlier".to_owned(),
        }
    }

    /// Whether a machine is compared beside its other cells.
    fn has_others(&self) -> bool {
        !self.others.is_empty()
    }

    /// The median of a machine's other cells, where one is compared beside them.
    fn other_cells(&self, machine: usize) -> Option<HeatCell> {
        let slower = self.others.get(&*self.group.machines[machine].name)? - 1.0;
        Some(HeatCell {
            value: 100.0 * slower,
            shown: signed(100.0 * slower),
            tooltip: format!("{:+.1} %", 100.0 * slower),
            ..HeatCell::default()
        })
    }

    fn heading(&self, instrument: &str) -> Heading {
        let group = if self.group.batches.is_empty() { "group" } else { "batch" };
        let shows = format!("How much slower each machine is than the median of its {group}");
        let mut marks = vec!["Below 0 it is faster.".to_owned()];
        let (machines, cells) = (self.group.machines.len(), self.all_cells);
        if self.machines.len() < machines {
            let shown = self.machines.len();
            marks.push(format!(
                "Shown are {shown} of {}: outliers, and healthy ones that deviate most.",
                count(machines, "machine")
            ));
        }
        if self.cells.len() < cells {
            let shown = self.cells.len();
            marks.push(format!(
                "Shown are {shown} of {}: those with the largest deviations.",
                count(cells, "cell")
            ));
        }
        let marks = marks.iter().map(String::as_str);
        Heading::with_marks(format!("{instrument}: slower, %"), shows, marks)
    }

    fn cell(&self, machine: usize, cell: usize) -> Option<HeatCell> {
        let (machine, cell) = (&self.group.machines[machine], (cell, &self.group.cells[cell]));
        let ratio = machine.ratios[cell.0]?;
        let name = &cell.1.name;
        let slower = ratio - 1.0;
        let center = self.group.center(machine, cell.0)?;
        let figure = name.unit.shown(figure_of(name.unit, center, ratio));
        Some(HeatCell {
            value: 100.0 * slower,
            shown: signed(100.0 * slower),
            tooltip: format!("{:+.1} %, {figure:.1} {}", 100.0 * slower, name.unit.symbol()),
            marked: self.found.contains(&(&*machine.name, name)),
            ..HeatCell::default()
        })
    }
}

/// With a sign, but for what rounds to 0.
fn signed(percent: f64) -> String {
    let text = format!("{percent:+.1}");
    if text[1..] == *"0.0" { "0".to_owned() } else { text }
}

/// All where they are at most `most`; else those that are outliers, and `healthy` of the others
/// that deviate most; in their order.
fn interesting(
    all: Vec<usize>,
    most: usize,
    healthy: usize,
    is_outlier: impl Fn(&usize) -> bool,
    deviation: impl Fn(&usize) -> f64,
) -> Vec<usize> {
    if all.len() <= most {
        return all;
    }
    let (mut outliers, mut others): (Vec<usize>, Vec<usize>) =
        all.into_iter().partition(&is_outlier);
    for part in [&mut outliers, &mut others] {
        part.sort_by_cached_key(|at| std::cmp::Reverse((deviation(at) * 1e9) as u64));
    }
    outliers.truncate(most);
    others.truncate(healthy.min(most - outliers.len()));
    let mut shown = [outliers, others].concat();
    shown.sort_unstable();
    shown
}

fn largest(ratios: impl Iterator<Item = Option<f64>>) -> f64 {
    ratios.flatten().map(|ratio| ratio.ln().abs()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outliers_are_shown_first_and_in_their_order() {
        let deviation = |at: &usize| *at as f64;
        let shown = interesting((0..100).collect(), 10, 3, |at| *at < 2, deviation);
        assert_eq!(shown, [0, 1, 97, 98, 99]);
        let shown = interesting((0..100).collect(), 10, 3, |_| true, deviation);
        assert_eq!(shown, (90..100).collect::<Vec<_>>());
        assert_eq!(interesting(vec![1, 2], 10, 3, |_| false, deviation), [1, 2]);
    }
}
