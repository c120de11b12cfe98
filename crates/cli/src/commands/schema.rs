//! `nearfar schema`: what the fields of JSON documents mean.

use clap::Args;
use nearfar_view::terminal::exit::WrongUsage;
use nearfar_view::terminal::output;
use nearfar_view::text::{paragraph, schema};

use crate::documents::{DocumentKind, KINDS, KindList};

/// Show the fields of JSON documents.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar schema                      the kinds, and where each is found
  nearfar schema survey               the fields of a survey
  nearfar schema where --json         the JSON Schema, for programs

Within a schema number, fields may be added; none is renamed or changes its type.")]
pub(crate) struct SchemaCommand {
    /// Kind of document: survey, survey/2 or nearfar.survey/2 [default: list all]
    #[arg(value_name = "KIND")]
    kind: Option<String>,
    /// Print JSON: a JSON Schema; without KIND the list (nearfar.schemas/1)
    #[arg(long)]
    json: bool,
}

impl SchemaCommand {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Some(name) = &self.kind else { return self.list() };
        let kind = DocumentKind::named(name).ok_or_else(|| {
            WrongUsage(format!(
                "there is no kind '{name}' of documents: 'nearfar schema' lists them"
            ))
        })?;
        let found = kind.json_schema();
        if self.json {
            return Ok(output::bytes(schema::json(&found).as_bytes())?);
        }
        let found_in = paragraph::of(&format!("Found in: {}.", kind.found_in), "", "");
        Ok(output::text(&format!("# {}\n\n{found_in}\n{}", kind.schema, schema::text(&found)))?)
    }

    fn list(&self) -> anyhow::Result<()> {
        if self.json {
            return Ok(output::json(&KindList::new())?);
        }
        Ok(output::text(
            &KINDS
                .iter()
                .map(|kind| format!("{:<16}  {}\n", kind.name(), kind.found_in))
                .collect::<String>(),
        )?)
    }
}
