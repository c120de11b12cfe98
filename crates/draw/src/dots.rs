//! Every run as a dot, a row a placement, a box where the middle half lies.

use crate::{Heading, Quantity};

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
