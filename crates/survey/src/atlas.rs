//! Is this machine normal? Published figures of machines, and a survey beside them.
//!
//! - [`Atlas`] holds rows by CPU model and mode, each with source, tool and [`Method`]. The build
//!   fails on a wrong row.
//! - [`compare`] puts a machine's [`MachineFigures`] beside them: symmetry within the machine
//!   first, then remote to local, then the share of theoretical bandwidth, absolute latency last.
//!   It calls nothing unusual that methods differ by.
//! - [`Submission`] is what is sent of a survey: a row, and the document without what identifies
//!   the machine.
//!
//! Pure: texts and documents are arguments. Sentences are those of nearfar-report.

mod built_in;
mod comparison;
mod cpu_name;
mod family;
mod figures;
mod row;
mod submission;

use std::collections::BTreeSet;

use serde::Serialize;

pub use built_in::{Atlas, AtlasMatch};
pub use comparison::{
    AtlasCheck, AtlasComparison, Beside, CheckOutcome, MatchedBy, Quantity, Symmetry, SymmetryOf,
    Unjudged, compare,
};
pub use figures::{MachineFigures, NodeFigure};
pub use row::{AtlasRow, Method, Platform, Span};
pub use submission::{KEPT, Submission, SubmissionError};

/// The schema of [`AtlasDocument`].
pub const SCHEMA: &str = "nearfar.atlas/1";

/// Rows, and a machine beside them.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct AtlasDocument<'a> {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The rows.
    pub rows: Vec<&'a AtlasRow>,
    /// The machine of a survey beside all rows; null without a survey.
    pub comparison: Option<AtlasComparison>,
}

/// Figures of one's own method agree within this.
const SAME_METHOD: f64 = 0.10;
/// Figures of other methods within this.
const OTHER_METHOD: f64 = 0.30;

/// What rows publish of a quantity.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Published {
    /// Lowest and highest.
    pub range: [f64; 2],
    /// The range widened by what methods differ by.
    pub accepted: [f64; 2],
    /// Ids of the rows.
    pub rows: Vec<String>,
    /// How many sources these have.
    pub sources: usize,
    /// How they measured.
    pub methods: Vec<Method>,
}

impl Published {
    /// Of the rows that have the quantity; none where none has it.
    pub(crate) fn of<'a>(
        rows: impl Iterator<Item = &'a AtlasRow>,
        is_huge_chase: bool,
        quantity: impl Fn(&AtlasRow) -> Option<Span>,
    ) -> Option<Self> {
        let mut found: Option<Self> = None;
        let (mut sources, mut methods) = (BTreeSet::new(), BTreeSet::new());
        for (row, span) in rows.filter_map(|row| Some((row, quantity(row)?))) {
            let is_same = is_huge_chase && row.method.is_nearfars();
            let band = if is_same { SAME_METHOD } else { OTHER_METHOD };
            let [low, high] = span.ends();
            sources.insert(&row.source);
            methods.insert(row.method);
            let all = found.get_or_insert_with(|| Self {
                range: [low, high],
                accepted: [low * (1.0 - band), high * (1.0 + band)],
                rows: vec![],
                sources: 0,
                methods: vec![],
            });
            all.rows.push(row.id.clone());
            all.range = [all.range[0].min(low), all.range[1].max(high)];
            let [lowest, highest] = all.accepted;
            all.accepted = [lowest.min(low * (1.0 - band)), highest.max(high * (1.0 + band))];
        }
        found.map(|found| Self {
            sources: sources.len(),
            methods: methods.into_iter().collect(),
            ..found
        })
    }
}
