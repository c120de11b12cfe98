//! GPUs: a map for each kind of copy: the node of memory by GPU.

use nearfar_survey::{CopyTreatment, Gpu, GpuCopy, GpuTable, PlacedAccess, PlacedTreatment};
use nearfar_view::draw::{Heading, HeatMap};

use super::names;
use crate::pictures::figures::{PictureUnit, heat_cell, map_of, too_large};
use crate::pictures::survey_pictures::{Answers, Shades, SurveyPicture, SurveyPictures};

/// Maps of a page.
const MAX_MAPS: usize = 12;

/// Rates first; the sentences stand above.
pub(crate) fn draw(gpu: &Gpu) -> SurveyPictures {
    let (mut maps, mut notes) = (Vec::new(), Vec::new());
    notes.extend(gpu.bandwidth.as_ref().and_then(|table| too_large(&table.part.matrix)));
    notes.extend(gpu.latency.as_ref().and_then(|table| too_large(&table.part.matrix)));
    if !notes.is_empty() {
        return SurveyPictures::new(maps, notes);
    }
    maps.extend(gpu.bandwidth.iter().flat_map(maps_of));
    maps.extend(gpu.latency.iter().flat_map(maps_of));
    let more = maps.len().saturating_sub(MAX_MAPS);
    maps.truncate(MAX_MAPS);
    if more > 0 {
        notes.push(format!("{more} more maps are in the document."));
    }
    let lines = super::nearest::sentences(gpu);
    let about = "Nearest nodes".to_owned();
    let answers = if lines.is_empty() { vec![] } else { vec![Answers { about, lines }] };
    SurveyPictures { answers, ..SurveyPictures::new(maps, notes) }
}

/// A map for each kind of copy of single GPUs: rows are programs and GPUs.
fn maps_of<T: CopyTreatment>(table: &GpuTable<T>) -> Vec<SurveyPicture> {
    let mut kinds: Vec<&GpuCopy> = Vec::new();
    let own = table.part.treatments.iter().map(PlacedTreatment::access);
    for copy in own.filter(|copy| !copy.is_control()) {
        let is_alike = |known: &&GpuCopy| {
            GpuCopy { gpus: copy.gpus.clone(), ..(*known).clone() } == *copy
                && (known.gpus.len() > 1) == (copy.gpus.len() > 1)
        };
        if !kinds.iter().any(is_alike) {
            kinds.push(copy);
        }
    }
    kinds.into_iter().map(|kind| map_of_kind(table, kind)).collect()
}

fn map_of_kind<T: CopyTreatment>(table: &GpuTable<T>, kind: &GpuCopy) -> SurveyPicture {
    let matrix = &table.part.matrix;
    let (what, unit) = if T::UNIT.more_is_better() {
        ("Bandwidth", T::UNIT.into())
    } else {
        ("Latency", PictureUnit::MICROSECONDS)
    };
    let is_of_kind = |treatment: &&T| {
        let copy = treatment.access();
        GpuCopy { gpus: copy.gpus.clone(), ..kind.clone() } == *copy
            && (copy.gpus.len() > 1) == (kind.gpus.len() > 1)
    };
    let treatments: Vec<&T> = table.part.treatments.iter().filter(is_of_kind).collect();
    let rows: Vec<(usize, &T)> = treatments
        .into_iter()
        .flat_map(|treatment| (0..matrix.rows.len()).map(move |row| (row, treatment)))
        .collect();
    let label = |(row, treatment): &(usize, &T)| {
        let program = matrix.row_label(*row).unwrap_or_default();
        format!("{}, {program}", names::together(treatment.access()))
    };
    let cells = rows.iter().map(|(row, treatment)| {
        (0..matrix.columns.len())
            .map(|column| heat_cell(table.part.cell(*row, column, treatment)?, unit, None))
            .collect()
    });
    let together = if kind.gpus.len() > 1 { " of several GPUs at once" } else { "" };
    let heading = Heading::new(
        format!("{what} of copies {}{together}", names::kind(kind)),
        "Median by the GPU and the program's CPUs, and by the node of memory.".to_owned(),
    );
    let map = HeatMap {
        unit: unit.symbol.to_owned(),
        rows: rows.iter().map(label).collect(),
        row_axis: "GPU, program".to_owned(),
        cells: cells.collect(),
        ..map_of(matrix, heading, |_, _| None)
    };
    SurveyPicture::Map(map, Shades::Even)
}
