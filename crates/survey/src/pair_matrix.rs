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
mod lines;
mod reading;
#[cfg(test)]
mod tests;

use std::io;
use std::path::{Path, PathBuf};

use nearfar_infer::core_to_core::PairCost;
use nearfar_model::{Bytes, CpuId};
use nearfar_view::input::is_too_large;
use thiserror::Error;

use cell::{Cell, DecimalMark};

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

/// How texts state a unit, what it is, and how many nanoseconds; figures of others are refused.
const UNITS: [(&str, &str, Option<f64>); 11] = [
    ("ns", "ns", Some(1.0)),
    ("nanoseconds", "ns", Some(1.0)),
    ("us", "us", Some(1e3)),
    ("µs", "us", Some(1e3)),
    ("μs", "us", Some(1e3)),
    ("usec", "us", Some(1e3)),
    ("microseconds", "us", Some(1e3)),
    ("cycles", "cycles", None),
    ("clocks", "clocks", None),
    ("ticks", "ticks", None),
    ("ms", "ms", None),
];
/// Longer lines are no remarks about a table.
const LONGEST: usize = 400;

/// Nanoseconds of a figure without a unit: 1, unless a line has "(us)" or "in us".
fn ns_per_figure<'a>(lines: impl Iterator<Item = &'a str>) -> Result<f64, NoMatrix> {
    let mut stated: Vec<(&str, Option<f64>)> = Vec::new();
    for line in lines.filter(|line| line.len() <= LONGEST) {
        let line = line.to_lowercase();
        for (word, unit, ns) in UNITS {
            if states(&line, word) && !stated.contains(&(unit, ns)) {
                stated.push((unit, ns));
            }
        }
    }
    match stated[..] {
        [] => Ok(1.0),
        [(_, Some(ns))] => Ok(ns),
        _ => {
            let units: Vec<&str> = stated.iter().map(|(unit, _)| *unit).collect();
            Err(NoMatrix::OtherUnit(units.join(" or ")))
        }
    }
}

/// Whether a line states a unit.
fn has_unit(line: &str) -> bool {
    let line = if line.len() <= LONGEST { line.to_lowercase() } else { String::new() };
    UNITS.iter().any(|(word, ..)| states(&line, word))
}

fn states(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = &line[..at];
        let is_stated = before.trim_matches([' ', '|', '"']).is_empty()
            || ["(", "[", "in ", ", "].iter().any(|start| before.ends_with(start));
        let after = line[at + word.len()..].chars().next();
        is_stated && !after.is_some_and(char::is_alphanumeric)
    })
}

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

/// Cells that all rows have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Full,
    Hollow,
    Lower,
    LowerDiagonal,
    Upper,
    UpperDiagonal,
}

impl Shape {
    const ALL: [Self; 6] = [
        Self::Full,
        Self::Hollow,
        Self::Lower,
        Self::LowerDiagonal,
        Self::Upper,
        Self::UpperDiagonal,
    ];

    /// Cells of a row in a square of `cpus`.
    fn cells(self, row: usize, cpus: usize) -> usize {
        match self {
            Self::Full => cpus,
            Self::Hollow => cpus - 1,
            Self::Lower => row,
            Self::LowerDiagonal => row + 1,
            Self::Upper => cpus - 1 - row,
            Self::UpperDiagonal => cpus - row,
        }
    }

    /// The column of a row's cell.
    fn column(self, row: usize, cell: usize) -> usize {
        match self {
            Self::Full | Self::Lower | Self::LowerDiagonal => cell,
            Self::Hollow => cell + usize::from(cell >= row),
            Self::Upper => row + 1 + cell,
            Self::UpperDiagonal => row + cell,
        }
    }
}

/// A first row that holds labels of CPUs and nothing else.
#[derive(Clone, Debug)]
struct Head {
    labels: Vec<u32>,
    are_words: bool,
    /// Whether a cell stands above the rows' labels.
    has_corner: bool,
    /// Columns behind the CPUs' that sum them up.
    summaries: usize,
}

impl Head {
    /// Reads a row that may have some words before the labels.
    fn new(cells: &[Cell<'_>], most_words: usize) -> Result<Option<Self>, NoMatrix> {
        let is_label = |cell: &Cell<'_>| cell.label().is_some();
        let words = cells.iter().take_while(|cell| !is_label(cell)).count();
        // Separators at the line's end are no labels.
        let end = cells.iter().rposition(|cell| *cell != Cell::Empty).map_or(0, |last| last + 1);
        if words > most_words || words >= end {
            return Ok(None);
        }
        let labels: Vec<u32> = cells[words..end].iter().map_while(Cell::label).collect();
        let summaries = &cells[words + labels.len()..end];
        let are_words =
            cells[words..words + labels.len()].iter().all(|cell| matches!(cell, Cell::Text(_)));
        let fewest = if are_words && words > 0 { 1 } else { 2 };
        if labels.len() < fewest || !summaries.iter().all(Cell::is_summary) {
            return Ok(None);
        }
        if are_words {
            ensure_distinct(&labels)?;
        } else if !labels.windows(2).all(|pair| pair[0] < pair[1]) {
            return Ok(None);
        }
        Ok(Some(Self { labels, are_words, has_corner: words > 0, summaries: summaries.len() }))
    }

    /// Whether it cannot be a row of costs.
    fn is_certain(&self, body: &[Cell<'_>]) -> bool {
        self.are_words || are_counted(&self.labels) || have_marks(body)
    }
}

/// 0, 1, 2 and so on.
fn are_counted(labels: &[u32]) -> bool {
    labels.len() > 2
        && labels[0] <= 1
        && labels.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]))
}

/// Figures that all have decimals or a unit, as labels do not.
fn have_marks(cells: &[Cell<'_>]) -> bool {
    let mut figures = cells.iter().filter_map(Cell::figure).peekable();
    figures.peek().is_some() && figures.all(|figure| figure.mark != DecimalMark::None)
}

fn ensure_distinct(labels: &[u32]) -> Result<(), NoMatrix> {
    let mut sorted = labels.to_vec();
    sorted.sort_unstable();
    let twice = sorted.windows(2).find(|pair| pair[0] == pair[1]);
    twice.map_or(Ok(()), |pair| Err(NoMatrix::Twice(CpuId(pair[0]))))
}

/// The rows of the square that are there: all, or all but the first or the last, which a triangle
/// has no cells in.
fn first_row(side: &[u32], head: &[u32]) -> Option<usize> {
    (0..2).find(|first| {
        let rows = head.get(*first..first + side.len());
        side.len() + 1 >= head.len() && rows == Some(side)
    })
}
