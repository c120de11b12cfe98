//! `nearfar atlas submit FILE`: a survey without what identifies the machine, and its row.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use nearfar_survey::IfExists;
use nearfar_survey::atlas::{KEPT, Submission};
use nearfar_view::terminal::output;

use crate::input;
use crate::whole_file::OutputFile;

/// Prepare a survey for the atlas: a row, and the document without what identifies the machine.
///
/// Writes FILE.atlas.toml and FILE.atlas.json beside the survey. Sends nothing.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar atlas submit before.json --dry-run  what would be kept
  nearfar atlas submit before.json            before.atlas.toml, before.atlas.json
  nearfar atlas submit before.json --force    overwrites them")]
pub(super) struct SubmitCommand {
    /// Survey file ('nearfar show' lists them)
    file: PathBuf,
    /// Show what is kept, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Overwrite files of an earlier call
    #[arg(long)]
    force: bool,
}

impl SubmitCommand {
    /// Strips, shows and writes.
    pub(super) fn run(self) -> anyhow::Result<()> {
        let survey = input::read(&self.file, nearfar_survey::read)?;
        let submission = Submission::for_survey(&survey)
            .with_context(|| format!("{} gives no row", self.file.display()))?;
        let row = submission.row_text()?;
        output::text(&shown(&row))?;
        if self.dry_run {
            return Ok(());
        }
        let document = nearfar_model::json_line(&submission.document)?;
        // Both are opened before one is written.
        let files = [("atlas.toml", row), ("atlas.json", document)]
            .map(|(end, text)| Ok::<_, anyhow::Error>((self.create(end)?, text)));
        let [row, document] = files;
        for (file, text) in [row?, document?] {
            let path = file.keep(|out| out.write_all(text.as_bytes()))?;
            output::status(&format!("saved as {}", path.display()));
        }
        output::aside(
            "publish the document, write its address as source into the row, and send both",
        );
        Ok(())
    }

    fn create(&self, end: &str) -> anyhow::Result<OutputFile> {
        let path: &Path = &self.file.with_extension(end);
        OutputFile::create(path, if self.force { IfExists::Replace } else { IfExists::Refuse })
    }
}

/// What is kept, and the row.
fn shown(row: &str) -> String {
    let kept: String = KEPT.iter().map(|line| format!("  {line}\n")).collect();
    format!(
        "Kept\n{kept}All else is left out: product, kernel, settings, command line, devices,\n\
         interrupts, diagnosis, samples, seed, day and time.\n\nRow\n{row}"
    )
}
