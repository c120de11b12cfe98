//! `nearfar surveys`: the list of saved surveys.

use std::path::PathBuf;

use clap::Args;
use nearfar_survey::{KeptSurvey, Store};
use nearfar_view::terminal::output;
use schemars::JsonSchema;
use serde::Serialize;

/// List saved surveys.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar surveys                                   each survey's file, machine
  nearfar surveys --json | jq -r '.surveys[].path'  files only
  nearfar show \"$(nearfar surveys --json | jq -r '.surveys[-1].path')\"

Surveys are saved in $XDG_DATA_HOME/nearfar (~/.local/share/nearfar) unless -o names a file.")]
pub(crate) struct Surveys {
    /// Print JSON (nearfar.surveys/1).
    #[arg(long)]
    json: bool,
}

impl Surveys {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let store = Store::from_user()?;
        let kept = store.list()?;
        if self.json {
            let folder = store.folder().to_owned();
            let document =
                SurveysDocument { schema: SurveysDocument::SCHEMA, folder, surveys: kept };
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
