//! Tables as Parquet files: as much of the format as tables of fleets need.
//!
//! Columns are flat: text, integers, real numbers, with or without nulls. Text has a dictionary in
//! each row group, numbers are plain, each page has its checksum, nothing is compressed. Query
//! engines read such files. The reader takes what the writer writes, and the same from other
//! programs: it refuses compressed columns. Each size in a file is checked before it is used, so
//! that a damaged file gives an error and no more than [`MAX_ROWS`] values at a time.

mod bits;
mod pages;
mod reader;
#[cfg(test)]
mod tests;
mod thrift;
mod words;
mod writer;

use std::io;

use thiserror::Error;

pub(crate) use reader::{ColumnValues, ParquetReader};
pub(crate) use writer::ParquetWriter;

/// Rows of a row group that the writer makes.
const GROUP_ROWS: usize = 1 << 17;
/// Rows of the largest row group that is read.
const MAX_ROWS: usize = 1 << 20;
/// The first and the last bytes of a file.
const MAGIC: &[u8; 4] = b"PAR1";
/// The name of the file's schema among its properties.
const SCHEMA_KEY: &str = "nearfar.schema";

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    Text,
    Integer,
    Real,
}

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) kind: ColumnKind,
    /// It may be null, or missing in an older file.
    pub(crate) is_optional: bool,
}

impl Column {
    /// A column without nulls.
    pub(crate) const fn new(name: &'static str, kind: ColumnKind) -> Self {
        Self { name, kind, is_optional: false }
    }

    /// A column that may be null.
    pub(crate) const fn optional(name: &'static str, kind: ColumnKind) -> Self {
        Self { name, kind, is_optional: true }
    }
}

/// A value that is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value<'v> {
    None,
    Text(&'v str),
    Integer(i64),
    Real(f64),
}

impl<'v> Value<'v> {
    pub(crate) fn text(value: Option<&'v str>) -> Self {
        value.map_or(Self::None, Self::Text)
    }

    pub(crate) fn count(value: usize) -> Self {
        i64::try_from(value).map_or(Self::None, Self::Integer)
    }

    pub(crate) fn real(value: Option<f64>) -> Self {
        value.map_or(Self::None, Self::Real)
    }
}

/// Why a file is not read.
#[derive(Debug, Error)]
pub(crate) enum ParquetFault {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("it is no Parquet file")]
    Other,
    #[error("it ends too early: it was not written to its end, or not copied whole")]
    CutOff,
    #[error("it is damaged: {0}")]
    Damaged(&'static str),
    #[error("nearfar did not write it: its schema is not '{wanted}', but {found}")]
    Foreign { wanted: &'static str, found: String },
    #[error("its column '{column}' is compressed or encoded in another way: nearfar reads its own")]
    Encoded { column: &'static str },
    #[error("its column '{column}' is missing, or of another type")]
    Column { column: &'static str },
}
