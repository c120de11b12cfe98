//! Bandwidth: a map for each kernel, each cell with the number of threads that gives most.
//!
//! A machine with one memory has one map of all kernels, each with its own scale.

use std::collections::BTreeMap;

use nearfar_survey::{Bandwidth, BandwidthTreatment, LevelPair, MatrixCell};
use nearfar_view::draw::{Heading, HeatCell, HeatMap};
use nearfar_view::text::count;

use crate::pictures::changes;
use crate::pictures::figures::{BENEATH_NOTE, heat_cell, map_of, place_name, too_large};
use crate::pictures::options::PictureOptions;
use crate::pictures::survey_pictures::{Shades, SurveyPicture, SurveyPictures};
use crate::survey::cell::GB;

/// Pairs of CPUs and memory up to which kernels stand beside each other in one map.
const FEW_PLACES: usize = 2;
/// Kernels of a page; there are nine.
const MAX_KERNELS: usize = 16;

/// A map for each kernel, in the document's order.
pub(crate) fn draw(bandwidth: &Bandwidth, options: &PictureOptions<'_>) -> SurveyPictures {
    let matrix = &bandwidth.part.matrix;
    if let Some(why) = too_large(matrix) {
        return SurveyPictures::default().with_note(why);
    }
    let mut kernels: Vec<&str> = Vec::new();
    for treatment in &bandwidth.part.treatments {
        if !kernels.contains(&treatment.kernel.as_str()) {
            kernels.push(&treatment.kernel);
        }
    }
    kernels.truncate(MAX_KERNELS);
    let levels = bandwidth.part.level_pairs(options.seed);
    let maker = MapMaker { bandwidth, options, levels };
    let is_small = matrix.rows.len() * matrix.columns.len() <= FEW_PLACES;
    let maps: Vec<SurveyPicture> = if is_small {
        let map = maker.all_kernels(&kernels);
        map.into_iter().map(|map| SurveyPicture::Map(map, Shades::Columns)).collect()
    } else {
        let maps = kernels.into_iter().filter_map(|kernel| maker.one_kernel(kernel));
        maps.map(|map| SurveyPicture::Map(map, Shades::Even)).collect()
    };
    SurveyPictures::new(maps, [])
}

struct MapMaker<'b> {
    bandwidth: &'b Bandwidth,
    options: &'b PictureOptions<'b>,
    /// Cells with two typical values, by their index.
    levels: BTreeMap<usize, LevelPair>,
}

/// By row and column, the index and the cell with the most bandwidth of a kernel.
type BestCells<'b> = BTreeMap<(usize, usize), (usize, &'b MatrixCell<BandwidthTreatment>)>;

impl MapMaker<'_> {
    /// All kernels beside each other, a row for each pair of CPUs and memory.
    fn all_kernels(&self, kernels: &[&str]) -> Option<HeatMap> {
        let matrix = &self.bandwidth.part.matrix;
        let columns = matrix.columns.len();
        let places: Vec<(usize, usize)> = (0..matrix.rows.len() * columns)
            .map(|place| (place / columns, place % columns))
            .collect();
        let best: Vec<BestCells<'_>> = kernels.iter().map(|kernel| self.best(kernel)).collect();
        if best.iter().all(BTreeMap::is_empty) {
            return None;
        }
        let name = |&(row, column): &(usize, usize)| {
            place_name(&matrix.rows[row].label, &matrix.columns[column].label)
        };
        let cells = |place: &(usize, usize)| {
            best.iter().map(|of| Some(self.heat(*of.get(place)?))).collect()
        };
        let used = best.iter().flat_map(BTreeMap::values);
        Some(HeatMap {
            heading: Heading::new(
                "Bandwidth, GB/s",
                self.description("a column for each kernel", used.map(|(_, cell)| *cell)),
            ),
            unit: matrix.unit.symbol().to_owned(),
            row_axis: "CPUs, memory".to_owned(),
            column_axis: "kernel".to_owned(),
            rows: places.iter().map(name).collect(),
            columns: kernels.iter().map(|kernel| (*kernel).to_owned()).collect(),
            cells: places.iter().map(cells).collect(),
            more_is_better: matrix.unit.more_is_better(),
            beneath_note: BENEATH_NOTE.to_owned(),
            mark_note: changes::MARK_NOTE.to_owned(),
            ..HeatMap::default()
        })
    }

    fn one_kernel(&self, kernel: &str) -> Option<HeatMap> {
        let best = self.best(kernel);
        let cell = |row, column| Some(self.heat(*best.get(&(row, column))?));
        let description = self.description(kernel, best.values().map(|(_, cell)| *cell));
        let heading = Heading::new(format!("Bandwidth, {kernel}, GB/s"), description);
        (!best.is_empty()).then(|| HeatMap {
            mark_note: changes::MARK_NOTE.to_owned(),
            ..map_of(&self.bandwidth.part.matrix, heading, cell)
        })
    }

    fn best(&self, kernel: &str) -> BestCells<'_> {
        let mut best: BestCells<'_> = BTreeMap::new();
        let cells = self.bandwidth.part.matrix.cells.iter().enumerate();
        let kernel_cells = cells.filter(|(_, cell)| cell.treatment.kernel == kernel);
        for (index, cell) in kernel_cells.filter(|(_, cell)| cell.median.is_some()) {
            let known = best.entry((cell.row, cell.column)).or_insert((index, cell));
            if cell.median > known.1.median {
                *known = (index, cell);
            }
        }
        best
    }

    fn heat(&self, (index, cell): (usize, &MatrixCell<BandwidthTreatment>)) -> HeatCell {
        let matrix = &self.bandwidth.part.matrix;
        let threads = cell.treatment.threads;
        let pair = self.levels.get(&index);
        let mut shown = heat_cell(cell, matrix.unit, pair).unwrap_or_default();
        let exact = shown.exact.as_ref().unwrap_or(&shown.shown);
        shown.exact = Some(format!("{exact}, {}", count(threads, "thread")));
        shown.tooltip += &format!(", {}", count(threads, "thread"));
        if let (Some(peak), true) = (&self.bandwidth.peak, shown.value.is_finite()) {
            let share = 100.0 * shown.value * GB / peak.node_bytes_per_s;
            shown.tooltip += &format!(
                "; {share:.0} % of the peak of a node's DIMMs ({}, {})",
                peak.dimms, peak.source
            );
        }
        if let Some(changes) = self.options.changes {
            let row = matrix.row_label(cell.row).unwrap_or_default();
            let column = matrix.column_label(cell.column).unwrap_or_default();
            let threads = threads.to_string();
            let with = [("kernel", cell.treatment.kernel.as_str()), ("threads", threads.as_str())];
            changes::mark(&mut shown, changes.find("bandwidth", row, column, &with));
        }
        shown
    }

    /// `cells` are those that are drawn.
    fn description<'c>(
        &self,
        kernel: &str,
        cells: impl Iterator<Item = &'c MatrixCell<BandwidthTreatment>>,
    ) -> String {
        let threads = cells.map(|cell| cell.treatment.threads);
        let range = threads.fold(None, |range: Option<[usize; 2]>, threads| {
            Some(
                range.map_or([threads; 2], |[least, most]| [least.min(threads), most.max(threads)]),
            )
        });
        let threads = match range {
            Some([1, 1]) => "one thread".to_owned(),
            Some([least, most]) if least == most => format!("{most} threads each"),
            Some([least, most]) => {
                format!("the number of threads that gave most ({least} to {most})")
            }
            None => "no thread".to_owned(),
        };
        format!(
            "Bytes a second as the program sees them ({kernel}, {}), by the CPUs and in the memory \
             that its row and column name, with {threads}.",
            self.bandwidth.isa
        )
    }
}
