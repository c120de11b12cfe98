//! What memory delivers: a map for each kernel, each cell with as many threads as give most; of a
//! machine with one memory, one map of all kernels.

use std::collections::BTreeMap;

use nearfar_draw::{Heading, HeatCell, HeatMap};
use nearfar_survey::{Bandwidth, Cell, StreamTreatment};

use crate::pictures::changes::{self, Changes};
use crate::pictures::figures::{heat_cell, map_of, too_large};
use crate::pictures::shown::{Drawn, Shown};
use crate::survey::cell::GB;

/// With so many ways from CPUs to memory at most, kernels stand beside each other.
const FEW_PLACES: usize = 2;
/// Kernels of a page; there are nine.
const MOST_KERNELS: usize = 16;

/// A map for each kernel, in the document's order.
pub(super) fn draw(bandwidth: &Bandwidth, changes: Option<&Changes<'_>>) -> Shown {
    let matrix = &bandwidth.part.matrix;
    if let Some(why) = too_large(matrix) {
        return Shown::default().remark(why);
    }
    let mut kernels: Vec<&str> = Vec::new();
    for one in &bandwidth.part.treatments {
        if !kernels.contains(&one.kernel.as_str()) {
            kernels.push(&one.kernel);
        }
    }
    kernels.truncate(MOST_KERNELS);
    let maps: Vec<HeatMap> = match matrix.rows.len() * matrix.columns.len() {
        0..=FEW_PLACES => by_kernel(bandwidth, &kernels, changes).into_iter().collect(),
        _ => kernels.into_iter().filter_map(|kernel| map(bandwidth, kernel, changes)).collect(),
    };
    Shown::of(maps.into_iter().map(Drawn::Map), [])
}

/// All kernels beside each other, a row for each way from CPUs to memory.
fn by_kernel(
    bandwidth: &Bandwidth,
    kernels: &[&str],
    changes: Option<&Changes<'_>>,
) -> Option<HeatMap> {
    let matrix = &bandwidth.part.matrix;
    let columns = matrix.columns.len();
    let places: Vec<(usize, usize)> =
        (0..matrix.rows.len() * columns).map(|place| (place / columns, place % columns)).collect();
    let best: Vec<_> = kernels.iter().map(|kernel| most_by_place(bandwidth, kernel)).collect();
    if best.iter().all(BTreeMap::is_empty) {
        return None;
    }
    let name = |&(row, column): &(usize, usize)| {
        format!("{} in {}", matrix.rows[row].label, matrix.columns[column].label)
    };
    let cells = |place: &(usize, usize)| {
        best.iter().map(|of| Some(heat(bandwidth, of.get(place)?, changes))).collect()
    };
    Some(HeatMap {
        heading: Heading::new(
            "Bandwidth, GB/s",
            description(bandwidth, "a column for each kernel", changes.is_some()),
        ),
        unit: matrix.unit.symbol().to_owned(),
        row_axis: "CPUs in memory".to_owned(),
        column_axis: "kernel".to_owned(),
        rows: places.iter().map(name).collect(),
        columns: kernels.iter().map(|kernel| (*kernel).to_owned()).collect(),
        cells: places.iter().map(cells).collect(),
        scale: None,
        more_is_better: matrix.unit.more_is_better(),
    })
}

fn map(bandwidth: &Bandwidth, kernel: &str, changes: Option<&Changes<'_>>) -> Option<HeatMap> {
    let best = most_by_place(bandwidth, kernel);
    let cell = |row, column| Some(heat(bandwidth, best.get(&(row, column))?, changes));
    let description = description(bandwidth, kernel, changes.is_some());
    let heading = Heading::new(format!("Bandwidth, {kernel}, GB/s"), description);
    (!best.is_empty()).then(|| map_of(&bandwidth.part.matrix, heading, cell))
}

/// By row and column, the cell with the most bandwidth of this kernel.
fn most_by_place<'b>(
    bandwidth: &'b Bandwidth,
    kernel: &str,
) -> BTreeMap<(usize, usize), &'b Cell<StreamTreatment>> {
    let mut best: BTreeMap<(usize, usize), &Cell<StreamTreatment>> = BTreeMap::new();
    let of_kernel =
        bandwidth.part.matrix.cells.iter().filter(|cell| cell.treatment.kernel == kernel);
    for cell in of_kernel.filter(|cell| cell.median.is_some()) {
        let known = best.entry((cell.row, cell.column)).or_insert(cell);
        if cell.median > known.median {
            *known = cell;
        }
    }
    best
}

fn heat(
    bandwidth: &Bandwidth,
    cell: &Cell<StreamTreatment>,
    changes: Option<&Changes<'_>>,
) -> HeatCell {
    let threads = cell.treatment.threads.to_string();
    let mut shown = heat_cell(cell, bandwidth.part.matrix.unit).unwrap_or_default();
    shown.beneath = Some(format!("{threads} thr."));
    shown.told += &format!(", {threads} threads");
    if let Some(peak) = &bandwidth.peak {
        let share = 100.0 * shown.value * GB / peak.node_bytes_per_s;
        shown.told += &format!(
            "; {share:.0} % of what the DIMMs of a node can ({}, {})",
            peak.dimms, peak.source
        );
    }
    if let Some(changes) = changes {
        let matrix = &bandwidth.part.matrix;
        let row = matrix.row_label(cell.row).unwrap_or_default();
        let column = matrix.column_label(cell.column).unwrap_or_default();
        let with = [("kernel", cell.treatment.kernel.as_str()), ("threads", threads.as_str())];
        changes::mark(&mut shown, changes.find("bandwidth", row, column, &with));
    }
    shown
}

fn description(bandwidth: &Bandwidth, kernel: &str, compared: bool) -> String {
    let isa = &bandwidth.isa;
    let mut words = format!(
        "Bytes a second as the program sees them ({kernel}, {isa}), by the CPUs and in the memory \
         that its row and column name, with the number of threads that gave most."
    );
    if compared {
        words += " Framed: changed for real against the first survey, by the share beneath.";
    }
    words
}
