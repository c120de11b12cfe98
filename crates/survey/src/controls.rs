//! The same memory measured twice, as a document keeps it.

use serde::{Deserialize, Serialize};

/// A/A controls: how often the same thing "differs".
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Controls {
    /// Pairs that were compared.
    pub pairs: usize,
    /// Pairs found different at alpha 0.01, which on average is 1 in 100.
    pub differing: usize,
    /// What was compared.
    pub compared: Vec<ControlComparison>,
}

/// One A/A pair: two sets of pages on one node, read by one row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ControlComparison {
    /// Index of the row.
    pub row: usize,
    /// Index of the column.
    pub column: usize,
    /// Column index under which `samples` holds the second set of pages.
    pub again: usize,
    /// The slower over the faster, minus 1.
    pub difference: Option<f64>,
    /// Probability of such a difference if both were equal.
    pub p: Option<f64>,
}
