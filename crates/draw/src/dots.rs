//! Every run as a dot, a row a placement, a box where the middle half lies.

mod drawing;
mod terminal;

use crate::figure::precise;
use crate::{Drawing, Heading, Picture, Quantity, Screen, Table};

/// Rows that are drawn; the table has all.
const MOST_ROWS: usize = 100;
/// Dots in a row; more are thinned out evenly.
const MOST_DOTS: usize = 300;

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
    /// First quartile, median, third quartile, as the document has them; none draws no box.
    pub quartiles: Option<[f64; 3]>,
    /// What stands at its end: "fastest", "3 runs failed".
    pub note: String,
}

impl Dots {
    /// The rows that are drawn.
    fn drawn(&self) -> &[DotRow] {
        &self.rows[..self.rows.len().min(MOST_ROWS)]
    }

    /// All values that the axis is to hold.
    fn on_axis(&self) -> impl Iterator<Item = f64> {
        self.drawn().iter().flat_map(|row| row.values.iter().chain(row.quartiles.iter().flatten())).copied()
    }

    /// What is not drawn, a sentence each.
    fn remarks(&self, left_out: usize) -> Vec<String> {
        let mut remarks = Vec::new();
        let thinned = self.drawn().iter().filter(|row| row.values.len() > MOST_DOTS).count();
        if thinned > 0 {
            remarks.push(format!("Rows with more than {MOST_DOTS} values show {MOST_DOTS} of them, evenly over time."));
        }
        if left_out > 0 {
            remarks.push(format!("{left_out} of the values cannot stand on this axis."));
        }
        if self.rows.len() > MOST_ROWS {
            remarks.push(format!("{} further rows are in the table only.", self.rows.len() - MOST_ROWS));
        }
        remarks
    }
}

impl DotRow {
    /// The quartiles in order, if all are numbers.
    fn box_of(&self) -> Option<[f64; 3]> {
        let mut quartiles = self.quartiles.filter(|values| values.iter().all(|v| v.is_finite()))?;
        quartiles.sort_by(f64::total_cmp);
        Some(quartiles)
    }

    /// The least and the largest number.
    fn extremes(&self) -> Option<[f64; 2]> {
        let finite = self.values.iter().copied().filter(|v| v.is_finite());
        finite.fold(None, |ends, v| Some(ends.map_or([v, v], |[low, high]: [f64; 2]| [low.min(v), high.max(v)])))
    }
}

impl Picture for Dots {
    fn heading(&self) -> &Heading {
        &self.heading
    }

    fn drawing(&self) -> Drawing {
        drawing::of(self)
    }

    fn table(&self) -> Table {
        let columns = [
            self.across.label.as_str(),
            "values",
            "least",
            "first quartile",
            "median",
            "third quartile",
            "largest",
            "note",
        ];
        let rows = self.rows.iter().map(|row| {
            let number = |value: Option<f64>| value.map_or("–".to_owned(), precise);
            let (ends, quartiles) = (row.extremes(), row.box_of());
            vec![
                row.name.clone(),
                row.values.len().to_string(),
                number(ends.map(|e| e[0])),
                number(quartiles.map(|q| q[0])),
                number(quartiles.map(|q| q[1])),
                number(quartiles.map(|q| q[2])),
                number(ends.map(|e| e[1])),
                row.note.clone(),
            ]
        });
        Table { columns: columns.map(str::to_owned).into(), rows: rows.collect() }
    }

    fn in_terminal(&self, screen: &Screen) -> Option<String> {
        Some(terminal::of(self, screen))
    }
}

#[cfg(test)]
mod tests;
