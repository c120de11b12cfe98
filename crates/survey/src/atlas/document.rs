//! The document of `nearfar atlas --json`.

use serde::Serialize;

use crate::atlas::comparison::AtlasComparison;
use crate::atlas::row::AtlasRow;

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
