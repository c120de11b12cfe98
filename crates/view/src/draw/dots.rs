//! Every run as a dot, a row a placement, a box where the middle half lies.

mod drawing;
mod terminal;

use crate::draw::axis::{Axis, extremes};
use crate::draw::figure::{NOTHING, precise};
use crate::draw::{Drawing, FigureTable, Heading, Picture, Quantity, Screen};

/// Rows that are drawn; the table has all.
const MAX_ROWS: usize = 100;
/// Dots in a row; more are thinned out evenly.
const MAX_DOTS: usize = 300;

/// Rows of dots over a common axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dots {
    /// Title and description.
    pub heading: Heading,
    /// What goes across.
    pub across: Quantity,
    /// The rows, top to bottom.
    pub rows: Vec<DotRow>,
}

/// One row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DotRow {
    /// Its name.
    pub name: String,
    /// Its values in the order they were measured.
    pub values: Vec<f64>,
    /// Boxes: first quartile, median, third quartile of the row, or of each of its modes.
    pub boxes: Vec<[f64; 3]>,
    /// What stands at its end: "fastest", "3 runs failed".
    pub note: String,
}

impl Dots {
    /// The rows that are drawn.
    fn drawn(&self) -> &[DotRow] {
        &self.rows[..self.rows.len().min(MAX_ROWS)]
    }

    /// All values that the axis is to hold.
    fn on_axis(&self) -> impl Iterator<Item = f64> {
        self.drawn()
            .iter()
            .flat_map(|row| row.values.iter().chain(row.boxes.iter().flatten()))
            .copied()
    }

    /// How many values the axis does not hold.
    fn left_out(&self, axis: &Axis) -> usize {
        self.drawn().iter().flat_map(|row| &row.values).filter(|value| !axis.holds(**value)).count()
    }

    /// What is not drawn, a sentence each.
    fn notes(&self, left_out: usize) -> Vec<String> {
        let is_thinned = self.drawn().iter().any(|row| row.values.len() > MAX_DOTS);
        let further = self.rows.len() - self.drawn().len();
        let thinned = format!(
            "Rows with more than {MAX_DOTS} values show {MAX_DOTS} of them, evenly over time."
        );
        let notes = [
            is_thinned.then_some(thinned),
            (left_out > 0).then(|| format!("{left_out} of the values cannot stand on this axis.")),
            (further > 0).then(|| format!("{further} further rows are in the table only.")),
        ];
        notes.into_iter().flatten().collect()
    }
}

impl DotRow {
    /// The boxes whose quartiles are numbers, each in order.
    fn sound_boxes(&self) -> impl Iterator<Item = [f64; 3]> {
        let sound = self.boxes.iter().filter(|values| values.iter().all(|v| v.is_finite()));
        sound.map(|quartiles| {
            let mut quartiles = *quartiles;
            quartiles.sort_by(f64::total_cmp);
            quartiles
        })
    }

    /// The boxes that the axis holds.
    fn boxes_on(&self, axis: &Axis) -> impl Iterator<Item = [f64; 3]> {
        self.sound_boxes().filter(|quartiles| quartiles.iter().all(|v| axis.holds(*v)))
    }

    /// A quartile (0 to 2) of each box: "4.21", "4.21 and 8.43", or a dash.
    fn quartile_text(&self, quartile: usize) -> String {
        let texts: Vec<String> = self.sound_boxes().map(|box_| precise(box_[quartile])).collect();
        if texts.is_empty() { NOTHING.to_owned() } else { texts.join(" and ") }
    }

    /// The least and the largest number.
    fn extremes(&self) -> Option<[f64; 2]> {
        extremes(self.values.iter().copied())
    }
}

impl Picture for Dots {
    fn heading(&self) -> &Heading {
        &self.heading
    }

    fn heading_mut(&mut self) -> &mut Heading {
        &mut self.heading
    }

    fn drawing(&self) -> Drawing {
        drawing::of(self)
    }

    fn table(&self) -> FigureTable {
        let rows = self.rows.iter().map(|row| {
            let [low, high] = row.extremes().unwrap_or([f64::NAN; 2]);
            let quartiles = [0, 1, 2].map(|quartile| row.quartile_text(quartile));
            [
                vec![row.name.clone(), row.values.len().to_string(), precise(low)],
                quartiles.into(),
                vec![precise(high), row.note.clone()],
            ]
            .concat()
        });
        let mut columns = vec![self.across.label.as_str()];
        columns.extend([
            "values",
            "least",
            "first quartile",
            "median",
            "third quartile",
            "largest",
            "note",
        ]);
        FigureTable::new(&columns, rows.collect())
    }

    fn in_terminal(&self, screen: &Screen) -> Option<String> {
        Some(terminal::of(self, screen))
    }
}

#[cfg(test)]
mod tests;
