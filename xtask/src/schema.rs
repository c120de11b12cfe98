//! The published JSON Schema of the survey, made from the types that read and write it.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, bail};

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../schema/nearfar.survey-1.schema.json")
}

fn text() -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(&nearfar_survey::json_schema())? + "\n")
}

/// Writes the schema.
pub(crate) fn write() -> anyhow::Result<()> {
    let path = path();
    fs::create_dir_all(path.parent().context("the schema has no folder")?)?;
    fs::write(&path, text()?).with_context(|| format!("cannot write {}", path.display()))
}

/// Fails when the published schema is not what the types say.
pub(crate) fn check() -> anyhow::Result<()> {
    let published = fs::read_to_string(path()).context("schema/ is missing: run ./dev schema")?;
    if published != text()? {
        bail!(
            "schema/ differs from the types: run ./dev schema and look at the difference (parts may be added, never changed)"
        );
    }
    println!("schema: as published");
    Ok(())
}
