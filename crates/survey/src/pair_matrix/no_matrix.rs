//! Why a text holds no matrix.

use nearfar_model::CpuId;
use thiserror::Error;

use super::MAX_CPUS;

/// Why a text holds no matrix.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoMatrix {
    /// No pair of CPUs has a number.
    #[error(
        "no pair of CPUs has a number; expected: a row of numbers for each CPU, as CSV, Markdown, \
         or as core-to-core-latency prints it"
    )]
    NoNumbers,
    /// Rows and columns are not those of one set of CPUs.
    #[error("{rows} rows, but {columns} columns; a row and a column for each CPU are expected")]
    NotSquare {
        /// Rows that hold numbers.
        rows: usize,
        /// The longest row's cells.
        columns: usize,
    },
    /// More CPUs than anybody measured.
    #[error("{0} CPUs are more than {MAX_CPUS}; give some of them")]
    TooManyCpus(usize),
    /// More rows than a matrix has.
    #[error("more than {0} rows of numbers; give the matrix alone")]
    TooManyRows(usize),
    /// Two rows or two columns have one label.
    #[error("CPU {0} has two rows, or two columns")]
    Twice(CpuId),
    /// The text ends before the last row.
    #[error("{rows} of {cpus} rows (lines {first}-{last}): the rest of the matrix is missing")]
    MissingRows {
        /// Rows that are there.
        rows: usize,
        /// Columns of the header, or of the longest row.
        cpus: usize,
        /// The line where the matrix begins.
        first: usize,
        /// The last line that is read.
        last: usize,
    },
    /// A row has other cells than its place in the square needs.
    #[error(
        "line {line} has {found} of {wanted} figures: rows are cut or folded; widen the terminal \
         or use --csv"
    )]
    UnevenRow {
        /// The line.
        line: usize,
        /// Its cells.
        found: usize,
        /// Cells that its row needs.
        wanted: usize,
    },
    /// Rows of other CPUs than the header's.
    #[error("the row of CPU {row} is at line {line}, where CPU {wanted} is expected")]
    OtherRow {
        /// The line.
        line: usize,
        /// Its label.
        row: CpuId,
        /// The header's.
        wanted: CpuId,
    },
    /// There is more than one way to read it.
    #[error(
        "lines {first}-{last} can be read in several ways: its first row or column may be CPUs or \
         costs; name CPUs as CPU0"
    )]
    Ambiguous {
        /// The first line.
        first: usize,
        /// The last line.
        last: usize,
    },
    /// The diagonal, or a triangle beside the full one, has costs and gaps.
    #[error("one triangle, or the diagonal, has costs only in part: rows or labels are missing")]
    UnevenDiagonal,
    /// A list of pairs, or a square of costs.
    #[error("this may be a list of pairs of CPUs; a row and a column for each CPU are expected")]
    MayBePairs,
    /// More than one matrix.
    #[error("there are several matrices, at lines {0}; give one")]
    Several(String),
    /// A matrix without a header, and more rows elsewhere.
    #[error("rows at line {0} may belong to the matrix or not; give the matrix alone")]
    MoreRows(String),
    /// A comma or a point may separate thousands.
    #[error("'{0}' may have a decimal comma or a separator of thousands; print plain numbers")]
    Thousands(String),
    /// A cell of several figures.
    #[error("'{0}' is not one number; give a matrix with one figure for each pair")]
    UnclearCell(String),
    /// Rows are nodes.
    #[error("its rows are nodes; a row for each CPU is expected")]
    Nodes,
    /// Figures are no times, or of an unknown unit.
    #[error("its figures may be {0}; nanoseconds are expected")]
    OtherUnit(String),
}
