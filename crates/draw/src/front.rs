//! Fast against steady: what nothing else beats in both.

use crate::{Heading, Quantity};

/// Points in a plane in which less is better both ways (or as `better` says).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Front {
    /// Title and description.
    pub heading: Heading,
    /// What goes across: run time.
    pub across: Quantity,
    /// What goes up: its spread.
    pub up: Quantity,
    /// Whether more is better across (a rate): the corner to be in is then at the lower right.
    pub more_is_better: bool,
    /// What is compared.
    pub points: Vec<FrontPoint>,
}

/// One of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrontPoint {
    /// Its name, written beside it.
    pub name: String,
    /// Across.
    pub x: f64,
    /// Up.
    pub y: f64,
    /// Its interval across, where there is one.
    pub interval: Option<[f64; 2]>,
    /// Whether it is on the front: nothing is better in both.
    pub on_front: bool,
    /// What is said of it: "fastest".
    pub note: String,
}
