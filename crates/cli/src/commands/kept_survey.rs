//! A kept survey with what follows for its nodes: documents of earlier versions have their samples,
//! and are judged by this one.

use std::path::Path;

use nearfar_infer::links::NoLinks;
use nearfar_survey::Survey;

use crate::input;

/// Reads it; classes, links and checked claims are derived where they were not told when it was
/// kept.
pub(super) fn read(file: &Path) -> anyhow::Result<Survey> {
    let mut survey = input::read(file, nearfar_survey::read)?;
    let tells_nothing =
        survey.classes.is_none() && survey.links.is_none() && survey.claims_vs_measured.is_none();
    if tells_nothing && survey.samples.is_some() {
        survey.judge()?;
    }
    Ok(survey)
}

/// Why nothing is told of its nodes.
pub(super) fn why_no_nodes(survey: &Survey) -> NoLinks {
    match &survey.samples {
        _ if survey.latency.cells.is_empty() => NoLinks::NotMeasured,
        None => NoLinks::NoSamples,
        Some(_) => NoLinks::OneMemory,
    }
}
