//! Disks: a map for each access, program by buffer.

use nearfar_survey::{AccessTreatment, Io, IoTable, PlacedAccess};
use nearfar_view::draw::{Heading, HeatMap};

use super::{answers, names};
use crate::pictures::figures::{PictureUnit, heat_cell, map_of, too_large};
use crate::pictures::survey_pictures::{Shades, SurveyPicture, SurveyPictures};
use crate::survey::Verbosity;

/// Maps of a page.
const MAX_MAPS: usize = 16;

pub(crate) fn draw(io: &Io) -> SurveyPictures {
    let mut notes = Vec::new();
    let mut maps: Vec<SurveyPicture> = Vec::new();
    for (table, note) in [io.latency.as_ref().map(maps_of), io.throughput.as_ref().map(maps_of)]
        .into_iter()
        .flatten()
    {
        maps.extend(table);
        notes.extend(note);
    }
    let more = maps.len().saturating_sub(MAX_MAPS);
    maps.truncate(MAX_MAPS);
    if more > 0 {
        notes.push(format!("{more} more maps are in the document."));
    }
    let all = Verbosity::Verbose;
    let latency = io.latency.iter().flat_map(|table| answers::for_accesses(table, all));
    let rates = io.throughput.iter().flat_map(|table| answers::for_accesses(table, all));
    let answers = latency.chain(rates).collect();
    SurveyPictures { answers, ..SurveyPictures::new(maps, notes) }
}

fn maps_of<T: AccessTreatment>(table: &IoTable<T>) -> (Vec<SurveyPicture>, Option<String>) {
    let matrix = &table.part.matrix;
    if let Some(why) = too_large(matrix) {
        return (Vec::new(), Some(why));
    }
    let (what, description, unit) = if T::UNIT.more_is_better() {
        ("Throughput", "Median bytes a second of one CPU", T::UNIT.into())
    } else {
        ("Latency", "Median time of an access", PictureUnit::MICROSECONDS)
    };
    let shown = table.part.treatments.iter().filter(|treatment| !treatment.access().is_control());
    let map = |treatment: &T| {
        let heading = Heading::new(
            format!("{what} of {}", names::access(treatment.access())),
            format!("{description}, by the program's CPUs and the node of its buffer."),
        );
        let cell = |row, column| heat_cell(table.part.cell(row, column, treatment)?, unit, None);
        let map = HeatMap {
            unit: unit.symbol.to_owned(),
            column_axis: "buffer".to_owned(),
            ..map_of(matrix, heading, cell)
        };
        SurveyPicture::Map(map, Shades::Even)
    };
    (shown.map(map).collect(), None)
}
