//! Matrices of core-to-core latencies as people publish them.
//!
//! Most are the lower triangle that KCORES' and nviennot's core-to-core-latency write: a row for
//! each CPU, commas, no header, nothing on the diagonal or above. Others have both triangles,
//! labels, Markdown, words around them or rows that a terminal folded. A text is read where one
//! reading fits the number of its rows and cells, else refused. Lines left out are counted.

mod blanks;
mod cell;
mod columns;
mod grid;
mod labels;
mod lines;
mod no_matrix;
mod reading;
mod shape;
#[cfg(test)]
mod tests;
mod units;

use std::io;
use std::path::{Path, PathBuf};

use nearfar_infer::core_to_core::PairCost;
use nearfar_model::{Bytes, CpuId};
use nearfar_view::input::is_too_large;
use thiserror::Error;

pub use no_matrix::NoMatrix;

/// More CPUs than this are refused: time and memory grow with their pairs (4,096 CPUs took 23 s
/// and 1.96 GB).
const MAX_CPUS: usize = 2_048;
/// The largest file that is read: 2,048 CPUs, both triangles, 20 digits each, are 88 MB.
const MAX_BYTES: Bytes = Bytes::mib(128);

/// Costs of pairs of CPUs.
#[derive(Clone, Debug, PartialEq)]
pub struct PairMatrix {
    /// The CPUs, ascending. Without labels they are counted from 0.
    pub cpus: Vec<CpuId>,
    /// What was read of each pair, in nanoseconds; `cpus` of a pair are indexes of the CPUs above.
    /// Pairs of a full matrix stand here twice.
    pub costs: Vec<PairCost>,
    /// Lines that are no rows: remarks, titles.
    pub skipped_lines: usize,
    /// Cells of rows that hold something other than a cost: a text, 0, less, or no finite number.
    pub unreadable_cells: usize,
}

/// Why there is no matrix.
#[derive(Debug, Error)]
pub enum PairMatrixError {
    /// The file cannot be read.
    #[error("cannot read {0}: {1}")]
    Unreadable(PathBuf, io::Error),
    /// The file is too large.
    #[error("{0} is larger than 128 MiB: not a matrix of CPUs")]
    TooLarge(PathBuf),
    /// The text holds no matrix.
    #[error("{0} holds no matrix of latencies: {1}")]
    NoMatrix(PathBuf, NoMatrix),
}

impl PairMatrix {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, PairMatrixError> {
        Self::parse(&Self::text(path)?)
            .map_err(|why| PairMatrixError::NoMatrix(path.to_owned(), why))
    }

    /// A file's text, which [`Self::parse`] may read. What is not UTF-8 in it is replaced.
    pub fn text(path: &Path) -> Result<String, PairMatrixError> {
        let bytes =
            nearfar_view::input::read(path, MAX_BYTES).map_err(|error| {
                match is_too_large(&error) {
                    true => PairMatrixError::TooLarge(path.to_owned()),
                    false => PairMatrixError::Unreadable(path.to_owned(), error),
                }
            })?;
        // Without a copy where all is UTF-8.
        Ok(String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
    }

    /// Reads a text.
    pub fn parse(text: &str) -> Result<Self, NoMatrix> {
        reading::matrix(text)
    }

    /// Pairs that these CPUs have.
    pub fn all_pairs(&self) -> usize {
        self.cpus.len() * self.cpus.len().saturating_sub(1) / 2
    }
}
