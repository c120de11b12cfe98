//! Core-to-core latencies that are no survey: a CSV file.

use std::path::Path;

use anyhow::Context;
use nearfar_report::pictures::{SurveyPictures, core_to_core};
use nearfar_survey::{PairMatrix, PairMatrixError};

/// The maps of a file that is such a table; none of one that holds JSON or nothing, or is no
/// regular file.
pub(crate) fn maps(path: &Path) -> anyhow::Result<Option<SurveyPictures>> {
    let about =
        std::fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
    // A pipe can be read only once; the reader of surveys reads it.
    if !about.is_file() || about.len() == 0 {
        return Ok(None);
    }
    let text = PairMatrix::text(path)?;
    if text.trim_start().starts_with('{') {
        return Ok(None);
    }
    Ok(Some(core_to_core(&text).map_err(|why| PairMatrixError::NoMatrix(path.to_owned(), why))?))
}
