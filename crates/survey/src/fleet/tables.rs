//! A fleet as tables, in Parquet files that query engines read.
//!
//! ```text
//! FOLDER/machines/day=2026-11-29/PART.parquet    a row for each survey
//! FOLDER/cells/day=2026-11-29/PART.parquet       a row for each figure
//! FOLDER/settings/day=2026-11-29/PART.parquet    sets of settings, a row for each setting
//! FOLDER/findings/day=2026-11-29/RUN.parquet     outliers, as a run found them
//! FOLDER/runs/day=2026-11-29/RUN.parquet         a row for each run
//! ```
//!
//! Files are only added, each under its name when it is whole; a part's machines come last, so that
//! a part is there as a whole or not at all. Its name follows from its surveys: two writers that
//! have the same surveys write the same part. No writer waits for another one.
//!
//! A day is that on which surveys began, in UTC; of findings and runs, the day of the run.

mod read;
mod written;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use nearfar_model::{Bytes, Unit};
use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::fleet::FleetCellName;
use crate::fleet::one_document::DocumentBytes;
use crate::parquet::Column;
use crate::parquet::ColumnKind::{Integer, Real, Text};

pub(crate) use read::read_part;
pub use read::table_rows;
pub use written::{AppendedSurveys, append_findings};

/// The largest file of a table.
const MAX_BYTES: Bytes = Bytes::gib(64);
/// The name of a day's folder begins with it.
const DAY: &str = "day=";
/// The day of surveys whose time is not readable: query engines read it as null.
const NO_DAY: &str = "__HIVE_DEFAULT_PARTITION__";

/// A table: its folder, the schema of its files, its columns.
struct Table {
    folder: &'static str,
    schema: &'static str,
    columns: &'static [Column],
}

const MACHINES: Table = Table {
    folder: "machines",
    schema: "nearfar-tables/1 machines",
    columns: &[
        Column::new("part", Text),
        Column::new("survey", Text),
        Column::new("machine", Text),
        Column::optional("host", Text),
        Column::new("source", Text),
        Column::new("started", Text),
        Column::new("is_guest", Integer),
        Column::new("model", Text),
        Column::new("packages", Integer),
        Column::new("nodes", Integer),
        Column::new("cpus", Integer),
        Column::optional("memory_bytes", Integer),
        Column::new("node_cpus", Text),
        Column::new("setting_set", Integer),
        Column::optional("board", Text),
        Column::optional("duration_s", Real),
    ],
};

const CELLS: Table = Table {
    folder: "cells",
    schema: "nearfar-tables/1 cells",
    columns: &[
        Column::new("part", Text),
        Column::new("survey", Text),
        Column::new("instrument", Text),
        Column::new("probe", Text),
        Column::new("unit", Text),
        Column::new("row_label", Text),
        Column::new("column_label", Text),
        Column::new("treatment", Text),
        Column::new("figure", Real),
        Column::new("cost_log", Real),
        Column::new("error", Real),
    ],
};

const SETTINGS: Table = Table {
    folder: "settings",
    schema: "nearfar-tables/1 settings",
    columns: &[
        Column::new("part", Text),
        Column::new("setting_set", Integer),
        Column::new("setting", Text),
        Column::optional("value", Text),
    ],
};

const FINDINGS: Table = Table {
    folder: "findings",
    schema: "nearfar-tables/1 findings",
    columns: &[
        Column::new("run", Text),
        Column::new("judged", Text),
        Column::new("machine", Text),
        Column::new("group_number", Integer),
        Column::new("instrument", Text),
        Column::new("probe", Text),
        Column::new("unit", Text),
        Column::new("row_label", Text),
        Column::new("column_label", Text),
        Column::new("treatment", Text),
        Column::new("direction", Text),
        Column::optional("figure", Real),
        Column::new("ratio", Real),
        Column::new("low", Real),
        Column::new("high", Real),
        Column::new("p", Real),
        Column::new("q", Real),
    ],
};

const RUNS: Table = Table {
    folder: "runs",
    schema: "nearfar-tables/1 runs",
    columns: &[
        Column::new("run", Text),
        Column::new("judged", Text),
        Column::new("machines", Integer),
        Column::new("new_surveys", Integer),
        Column::new("findings", Integer),
        Column::new("floor", Real),
    ],
};

/// Why tables cannot be written.
#[derive(Debug, Error)]
pub enum TableError {
    /// A folder of the tables.
    #[error("cannot write to the folder {}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A file of the tables.
    #[error("cannot write {}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

/// The parts of these tables: the files of their machines, by day and name. None of a folder that
/// has no tables.
pub(crate) fn parts(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let machines = folder.join(MACHINES.folder);
    if !machines.is_dir() {
        return Ok(Vec::new());
    }
    let mut parts = Vec::new();
    for day in fs::read_dir(machines)? {
        let day = day?;
        let path = day.path();
        if day.file_name().to_string_lossy().starts_with(DAY) && path.is_dir() {
            // A day that cannot be read is a part that cannot.
            parts.extend(files_of(&path).unwrap_or_else(|_| vec![path]));
        }
    }
    parts.sort();
    Ok(parts)
}

/// Whether a folder is that of a table, beside the one of machines.
pub(crate) fn is_table_folder(path: &Path) -> bool {
    let is_its_name = |table: Table| path.file_name().is_some_and(|name| name == table.folder);
    let is_table = [MACHINES, CELLS, SETTINGS, FINDINGS, RUNS].into_iter().any(is_its_name);
    is_table && path.with_file_name(MACHINES.folder).is_dir()
}

/// Whether a file has the name of a table's file. Drafts have not.
pub(crate) fn is_table_file(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "parquet")
        && path.file_name().is_some_and(|name| !name.to_string_lossy().starts_with('.'))
}

fn files_of(day: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for file in fs::read_dir(day)? {
        let path = file?.path();
        if is_table_file(&path) {
            files.push(path);
        }
    }
    Ok(files)
}

/// The name of a survey: of the bytes of its document.
fn survey_name(bytes: DocumentBytes) -> String {
    format!("{:016x}-{}", bytes.hash, bytes.bytes)
}

fn survey_of(name: &str) -> Option<DocumentBytes> {
    let (hash, bytes) = name.split_once('-')?;
    let hash = u64::from_str_radix(hash, 16).ok()?;
    Some(DocumentBytes { hash, bytes: bytes.parse().ok()?, ..DocumentBytes::default() })
}

/// Values that are several, or of a few names: as JSON.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

fn of_json<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_str(text).ok()
}

/// A unit's name in documents.
fn unit_name(unit: Unit) -> String {
    json(&unit).trim_matches('"').to_owned()
}

/// What a cell's row has beside its figure, in the order of the columns.
struct CellWords {
    unit: String,
    treatment: String,
}

impl CellWords {
    fn new(cell: &FleetCellName) -> Self {
        Self { unit: unit_name(cell.unit), treatment: json(&cell.treatment) }
    }
}

/// A cell's name of the words of its row.
fn cell_name(words: [Option<&str>; 6]) -> Option<FleetCellName> {
    let [instrument, probe, unit, row, column, treatment] = words;
    let treatment: BTreeMap<String, String> = of_json(treatment?)?;
    Some(FleetCellName {
        instrument: instrument?.to_owned(),
        probe: probe?.to_owned(),
        unit: of_json(&json(&unit?))?,
        row: row?.to_owned(),
        column: column?.to_owned(),
        treatment,
    })
}
