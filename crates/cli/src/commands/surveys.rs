//! `nearfar surveys`: the list of saved surveys.

use clap::Args;
use nearfar_survey::Store;
use nearfar_view::terminal::output;
use serde_json::json;

/// List saved surveys.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar surveys                                   each survey's file, machine
  nearfar surveys --json | jq -r '.surveys[].path'  files only
  nearfar show \"$(nearfar surveys --json | jq -r '.surveys[-1].path')\"

Surveys are saved in $XDG_DATA_HOME/nearfar (~/.local/share/nearfar) unless -o names a file.")]
pub(crate) struct Surveys {
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Surveys {
    /// Lists.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let store = Store::of_user()?;
        let kept = store.list()?;
        if self.json {
            let (schema, folder) = ("nearfar.surveys/1", store.folder());
            let document = json!({ "schema": schema, "folder": folder, "surveys": kept });
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
