//! Kinds of pages that no node shows: what each costs each group of CPUs.

use nearfar_survey::Hidden;
use nearfar_view::draw::{Heading, HeatMap};

use super::reasons::{line_reason, page_reason};
use crate::pictures::figures::{heat_cell, map_of};
use crate::pictures::survey_pictures::{Shades, SurveyPicture, SurveyPictures};
use crate::survey::Verbosity;

/// A map where kinds were found; otherwise a note.
pub(crate) fn draw(hidden: &Hidden) -> SurveyPictures {
    let (matrix, kinds) = (&hidden.matrix, &hidden.pages.kinds);
    if kinds.len() < 2 {
        let of_pages = hidden.pages.found.reasons.iter().map(page_reason);
        return SurveyPictures::new(
            [],
            of_pages.chain(
                hidden
                    .lines
                    .found
                    .reasons
                    .iter()
                    .map(|reason| line_reason(reason, Verbosity::Verbose)),
            ),
        );
    }
    let heading = Heading::new(
        "Kinds of pages that the system does not show, ns",
        "Median cost of an access by the CPUs of each row to pages that cost alike and belong to \
         no node that the system shows; each kind with its share of all measured pages.",
    );
    let mut map = HeatMap {
        column_axis: "kind of pages".to_owned(),
        ..map_of(matrix, heading, |row, column| {
            heat_cell(matrix.cell(row, column)?, matrix.unit, None)
        })
    };
    for (name, kind) in map.columns.iter_mut().zip(kinds) {
        *name += &format!(", {:.0} %", 100.0 * kind.share);
    }
    SurveyPictures::new([SurveyPicture::Map(map, Shades::Even)], [])
}
