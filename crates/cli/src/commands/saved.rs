//! `nearfar show` without a file: the list of saved surveys.

use std::path::PathBuf;

use nearfar_survey::{KeptSurvey, Store};
use nearfar_view::terminal::output;
use schemars::JsonSchema;
use serde::Serialize;

/// Prints the list.
pub(super) fn list(json: bool) -> anyhow::Result<()> {
    let store = Store::from_user()?;
    let kept = store.list()?;
    if json {
        let folder = store.folder().to_owned();
        let document = SurveysDocument { schema: SurveysDocument::SCHEMA, folder, surveys: kept };
        return Ok(output::json(&document)?);
    }
    if kept.is_empty() {
        return Ok(output::text(&format!(
            "no survey in {}: 'nearfar survey' makes one\n",
            store.folder().display()
        ))?);
    }
    Ok(output::text(&nearfar_report::surveys::text(&kept, store.folder()))?)
}

/// The saved surveys, oldest first.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SurveysDocument {
    schema: &'static str,
    /// Their folder.
    folder: PathBuf,
    /// Each file.
    surveys: Vec<KeptSurvey>,
}

impl SurveysDocument {
    pub(crate) const SCHEMA: &str = "nearfar.surveys/1";
}
