//! Reads a saved survey. Classes and links of documents from earlier versions are derived from
//! their samples.

use std::path::Path;

use nearfar_infer::links::NoLinks;
use nearfar_survey::Survey;

use crate::input;

/// Reads a survey; derives classes, links and checked claims if the document has none.
pub(super) fn read(file: &Path) -> anyhow::Result<Survey> {
    let mut survey = input::read(file, nearfar_survey::read)?;
    let lacks_nodes =
        survey.classes.is_none() && survey.links.is_none() && survey.claims_vs_measured.is_none();
    if lacks_nodes && survey.samples.is_some() {
        survey.judge()?;
    }
    Ok(survey)
}

/// Why a survey has no classes and links.
pub(super) fn why_no_nodes(survey: &Survey) -> NoLinks {
    match &survey.samples {
        _ if survey.latency.cells.is_empty() => NoLinks::NotMeasured,
        None => NoLinks::NoSamples,
        Some(_) => NoLinks::OneMemory,
    }
}
