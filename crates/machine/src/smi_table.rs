//! The table of `nvidia-smi topo -m` and of programs like it (`npu-smi info -t topo`), also as
//! people paste it.
//!
//! A header names the columns: `GPU0`, `NIC0`, then `CPU Affinity`, `NUMA Affinity`, `GPU NUMA ID`:
//! older releases lack some. A row for each device follows, then a legend of levels, then
//! `NIC Legend:` with the names of the NICs. No cell has a blank inside: tabs, runs of blanks and
//! columns of Markdown are alike.

use nearfar_model::{CpuSet, NodeId, NodeSet};
use nearfar_view::input::unquoted;
use thiserror::Error;

/// More devices than a machine has.
const MAX_DEVICES: usize = 1024;
/// The first devices of such tables.
const FIRST: [&str; 2] = [SmiTable::GPUS, SmiTable::NPUS];

/// A table of devices as it is printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SmiTable {
    /// Names of the rows: `GPU0`, `NIC0`, in older releases `mlx5_0`.
    pub rows: Vec<String>,
    /// A row for each name, a word for each column.
    pub cells: Vec<Vec<String>>,
    /// Where each row's device is.
    pub places: Vec<SmiPlace>,
    /// Names of NICs by their label.
    pub nics: Vec<(String, String)>,
}

/// The columns after the levels; `None` for what is not there, or N/A.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SmiPlace {
    /// `CPU Affinity`.
    pub cpus: Option<CpuSet>,
    /// `NUMA Affinity`.
    pub nodes: Option<NodeSet>,
    /// `GPU NUMA ID`: the node of a GPU's own memory.
    pub memory: Option<NodeId>,
}

/// The text has no matrix.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotAMatrix {
    /// No line has the names of devices.
    #[error(
        "no line of it has GPU0 as a column. Known is the output of nvidia-smi topo -m, with tabs \
         or blanks, also quoted or with other lines around it"
    )]
    NoHeader,
    /// Rows and columns differ.
    #[error("{rows} rows, but {columns} columns of devices")]
    NotSquare {
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
    },
    /// Rows go on in the next line.
    #[error("the line before row {0} belongs to another line: a terminal folded the text")]
    Folded(String),
    /// A row ends before its last level.
    #[error("row {0} has fewer levels than the header has devices")]
    Short(String),
    /// A device is not itself.
    #[error("the diagonal is not X")]
    NoDiagonal,
    /// More devices than a machine has.
    #[error("more than {MAX_DEVICES} devices")]
    TooMany,
}

impl SmiTable {
    /// The first device of NVIDIA's tables.
    pub(crate) const GPUS: &'static str = "GPU0";
    /// The first device of Huawei's tables.
    pub(crate) const NPUS: &'static str = "NPU0";

    /// Parses the output.
    ///
    /// # Errors
    ///
    /// [`NotAMatrix`]: of several lines that may be a header, why the longest matrix is none.
    pub fn parse(text: &str) -> Result<Self, NotAMatrix> {
        let text = unquoted(text);
        let lines: Vec<Vec<&str>> =
            text.lines().map(words).filter(|line| !line.is_empty()).collect();
        let (mut longest, mut why) = (0, NotAMatrix::NoHeader);
        for (at, line) in lines.iter().enumerate() {
            let Some(header) = Header::parse(line) else { continue };
            let rows = header.rows(&lines[at + 1..]);
            match header.matrix(rows, &lines[at + 1..]) {
                Ok(matrix) => return Ok(Self { nics: nics(&lines), ..matrix }),
                Err(other) if rows.len() >= longest => (longest, why) = (rows.len(), other),
                Err(_) => {}
            }
        }
        Err(why)
    }

    /// Whether a line may be the header of a table that begins with this device.
    pub(crate) fn is_begun_by(line: &str, first: &str) -> bool {
        line.contains(first)
            && Header::parse(&words(line)).is_some_and(|header| header.devices[0] == first)
    }
}

/// The names of the columns.
struct Header<'t> {
    devices: Vec<&'t str>,
    has_cpus: bool,
    has_nodes: bool,
    has_memory: bool,
}

impl<'t> Header<'t> {
    /// The devices of a line that has `GPU0` as a column, and the columns after them.
    fn parse(line: &[&'t str]) -> Option<Self> {
        let (first, line) = FIRST.iter().find_map(|first| Some((*first, from(line, first)?)))?;
        let count = line
            .iter()
            .position(|word| matches!(*word, "CPU" | "NUMA" | "GPU"))
            .unwrap_or(line.len());
        let (devices, last) = line.split_at(count);
        let is_name = |word: &&str| {
            *word != "X" && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-:.".contains(&b))
        };
        let is_header = devices[1..].iter().all(is_name);
        is_header.then(|| Self {
            devices: [&[first], &devices[1..]].concat(),
            has_cpus: last.first() == Some(&"CPU"),
            has_nodes: last.windows(2).any(|pair| pair == ["NUMA", "Affinity"]),
            has_memory: last.contains(&"GPU"),
        })
    }

    /// The lines below that are rows, in the order of the columns.
    fn rows<'l>(&self, below: &'l [Vec<&'t str>]) -> &'l [Vec<&'t str>] {
        let pairs = below.iter().zip(&self.devices);
        let rows = pairs.take_while(|(line, name)| from(line, name).is_some());
        &below[..rows.count()]
    }

    fn matrix(&self, rows: &[Vec<&str>], below: &[Vec<&str>]) -> Result<SmiTable, NotAMatrix> {
        let columns = self.devices.len();
        if columns > MAX_DEVICES {
            return Err(NotAMatrix::TooMany);
        }
        if let Some(missing) = self.devices.get(rows.len()) {
            if below.iter().any(|line| from(line, missing).is_some()) {
                return Err(NotAMatrix::Folded((*missing).to_owned()));
            }
            return Err(NotAMatrix::NotSquare { rows: rows.len(), columns });
        }
        let named = rows.iter().zip(&self.devices);
        let rows: Vec<&[&str]> = named.filter_map(|(row, name)| from(row, name)).collect();
        if let Some(short) = rows.iter().position(|row| row.len() <= columns) {
            return Err(NotAMatrix::Short(self.devices[short].to_owned()));
        }
        let cells: Vec<Vec<String>> = rows
            .iter()
            .map(|row| row[1..=columns].iter().map(|&word| word.to_owned()).collect())
            .collect();
        if !cells.iter().enumerate().all(|(place, row)| row[place] == "X") {
            return Err(NotAMatrix::NoDiagonal);
        }
        Ok(SmiTable {
            rows: self.devices.iter().map(|&name| name.to_owned()).collect(),
            cells,
            places: rows.iter().map(|row| self.place(&row[columns + 1..])).collect(),
            nics: Vec::new(),
        })
    }

    /// The cells after the levels. With fewer cells than columns, which is missing is unknown.
    fn place(&self, cells: &[&str]) -> SmiPlace {
        let columns = [self.has_cpus, self.has_nodes, self.has_memory];
        if cells.len() != columns.iter().filter(|has| **has).count() {
            let first = cells.first().filter(|_| self.has_cpus);
            let cpus = first.and_then(|cell| CpuSet::parse_list(cell).ok());
            return SmiPlace { cpus, ..SmiPlace::default() };
        }
        let mut cells = cells.iter();
        let [cpus, nodes, memory] = columns.map(|has| if has { cells.next() } else { None });
        SmiPlace {
            cpus: cpus.and_then(|cell| CpuSet::parse_list(cell).ok()),
            nodes: nodes.and_then(|cell| NodeSet::parse_list(cell).ok()),
            memory: memory.and_then(|cell| cell.parse().ok()).map(NodeId),
        }
    }
}

/// The words of a line from a name on. A log or `grep -n` may put some words before it.
fn from<'l, 't>(line: &'l [&'t str], name: &str) -> Option<&'l [&'t str]> {
    const MAX_BEFORE: usize = 4;
    let at =
        line.iter().take(MAX_BEFORE + 1).position(|word| word.rsplit(':').next() == Some(name))?;
    Some(&line[at..])
}

/// The words of a line; none for lines that draw a table.
fn words(line: &str) -> Vec<&str> {
    let is_drawn = !line.contains(|c: char| c.is_ascii_alphanumeric());
    let words = line.split(|c: char| c.is_whitespace() || c == '|');
    words.filter(|word| !word.is_empty() && !is_drawn).collect()
}

/// "NIC0: mlx5_0".
fn nics(lines: &[Vec<&str>]) -> Vec<(String, String)> {
    let nics = lines.iter().flat_map(|line| line.windows(2)).filter_map(|pair| {
        let label = pair[0].strip_suffix(':')?.rsplit(':').next()?;
        is_numbered(label, "NIC").then(|| (label.to_owned(), pair[1].to_owned()))
    });
    nics.collect()
}

fn is_numbered(name: &str, kind: &str) -> bool {
    name.strip_prefix(kind).is_some_and(|number| number.parse::<u32>().is_ok())
}
