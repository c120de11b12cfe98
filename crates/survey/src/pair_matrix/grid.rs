//! One way to read a block: which cells are which pairs'.

use nearfar_infer::core_to_core::{HandoffCost, PairCost};
use nearfar_model::CpuId;

use super::cell::{Cell, DecimalMark, has_thousands};
use super::{NoMatrix, PairMatrix};

/// Rows, columns and what stands there.
pub(super) type Placed<'a> = Vec<(usize, usize, Cell<'a>)>;

/// The cells of a square.
#[derive(Debug)]
pub(super) struct Grid<'a> {
    /// CPUs in rows and columns; counted from 0 where there are none.
    pub(super) labels: Option<Vec<u32>>,
    pub(super) cpus: usize,
    /// Row, column and what stands there.
    pub(super) cells: Placed<'a>,
    /// Whether labels cannot be costs.
    pub(super) is_certain: bool,
    /// Whether a header, or the width of all rows, proves how many CPUs there are.
    pub(super) is_size_proven: bool,
}

impl Grid<'_> {
    /// Whether costs on the diagonal of a triangle may as well be those of a CPU without a row.
    pub(super) fn has_doubtful_diagonal(&self) -> bool {
        let is_cost = |cell: &Cell<'_>| cell.figure().is_some_and(|figure| figure.value > 0.0);
        let is_triangle = |is_above: fn(usize, usize) -> bool| {
            self.cells
                .iter()
                .all(|(row, column, cell)| !is_above(*row, *column) || cell.is_nothing())
        };
        let has_triangle =
            is_triangle(|row, column| column > row) || is_triangle(|row, column| column < row);
        let mut diagonal = self.cells.iter().filter(|(row, column, _)| row == column).peekable();
        !self.is_size_proven
            && self.labels.as_ref().is_none_or(|labels| labels[0] != 0)
            && has_triangle
            && diagonal.peek().is_some()
            && diagonal.all(|(.., cell)| is_cost(cell))
    }

    /// Whether no cost of a CPU with itself exceeds that of a pair.
    pub(super) fn has_low_diagonal(&self) -> bool {
        let costs = |is_diagonal: bool| {
            let cells =
                self.cells.iter().filter(move |(row, column, _)| (row == column) == is_diagonal);
            cells.filter_map(|(.., cell)| cell.figure()).map(|figure| figure.value)
        };
        let highest = costs(true).fold(0.0, f64::max);
        costs(false).all(|ns| ns >= highest)
    }

    /// Rows without labels: is the diagonal all costs, or all nothing?
    fn has_even_diagonal(&self) -> bool {
        let diagonal: Vec<bool> = self
            .cells
            .iter()
            .filter(|(row, column, _)| row == column)
            .map(|(.., cell)| cell.is_nothing())
            .collect();
        diagonal.windows(2).all(|pair| pair[0] == pair[1])
    }

    /// Rows without labels: are both triangles full, or is one empty?
    fn has_even_sides(&self) -> bool {
        let costs = |is_above: bool| {
            let is_cost = |(row, column, cell): &&(usize, usize, Cell<'_>)| {
                row != column && (column > row) == is_above && !cell.is_nothing()
            };
            self.cells.iter().filter(is_cost).count()
        };
        let (lower, upper) = (costs(false), costs(true));
        lower.min(upper) == 0 || 4 * lower.abs_diff(upper) <= lower.max(upper)
    }

    /// Three columns or more that could be two CPUs and their cost.
    fn may_be_pairs(&self) -> bool {
        let at = |row: usize, column: usize| {
            let cell = self.cells.iter().find(|cell| (cell.0, cell.1) == (row, column))?;
            Some(cell.2)
        };
        if !(3..6).contains(&self.cpus) {
            return false;
        }
        let mut pairs = Vec::new();
        for row in 0..self.cpus {
            let label = |column| at(row, column).and_then(|cell| cell.label());
            match (label(0), label(1)) {
                (Some(a), Some(b)) if a != b => pairs.push((a.min(b), a.max(b))),
                _ => return false,
            }
        }
        pairs.sort_unstable();
        pairs.windows(2).all(|pair| pair[0] != pair[1])
            && self.cells.iter().all(|(row, column, cell)| row != column || !cell.is_nothing())
    }

    /// Refuses rows without labels that need not be those of a square.
    fn ensure_square(&self) -> Result<(), NoMatrix> {
        let is_doubtful = |cell: &(usize, usize, Cell<'_>)| {
            let has_comma = cell.2.figure().is_some_and(|figure| figure.mark == DecimalMark::Comma);
            has_comma || (cell.0 == cell.1 && !cell.2.is_nothing())
        };
        if !self.has_even_diagonal() || !self.has_even_sides() {
            Err(NoMatrix::UnevenDiagonal)
        } else if self.cpus == 2 && self.cells.iter().any(is_doubtful) {
            // Of one or two cells a row: a comma may stand before decimals or between cells.
            Err(NoMatrix::NotSquare { rows: 2, columns: 2 })
        } else if self.may_be_pairs() {
            Err(NoMatrix::MayBePairs)
        } else {
            Ok(())
        }
    }

    /// The matrix of these cells; `ns_per_figure` where they have no unit.
    pub(super) fn matrix(&self, ns_per_figure: f64) -> Result<ReadMatrix, NoMatrix> {
        ensure_clear(&self.cells)?;
        if self.labels.is_none() {
            self.ensure_square()?;
        }
        let labels: Vec<u32> =
            self.labels.clone().unwrap_or_else(|| (0..).take(self.cpus).collect());
        let mut cpus: Vec<CpuId> = labels.iter().copied().map(CpuId).collect();
        cpus.sort_unstable();
        let index = |place: usize| {
            cpus.binary_search(&CpuId(labels[place])).expect("each label is a CPU's")
        };
        let is_side_nothing = |is_above: bool| {
            self.cells
                .iter()
                .filter(|(row, column, _)| row != column && (column > row) == is_above)
                .all(|(.., cell)| cell.is_nothing())
        };
        let nothing = [is_side_nothing(false), is_side_nothing(true)];
        let mut read = ReadMatrix {
            matrix: PairMatrix {
                cpus: Vec::new(),
                costs: Vec::new(),
                skipped_lines: 0,
                unreadable_cells: 0,
            },
            steps_ns: Vec::new(),
            has_labels: self.labels.is_some(),
            is_size_proven: self.is_size_proven,
        };
        for (row, column, cell) in &self.cells {
            if row == column || nothing[usize::from(column > row)] || *cell == Cell::Empty {
                continue;
            }
            let cost = cell.figure().map(|figure| {
                let scale = if figure.has_unit { 1.0 } else { ns_per_figure };
                (
                    HandoffCost { median_ns: figure.value * scale, relative_se: 0.0 },
                    figure.step * scale,
                )
            });
            match cost {
                Some((cost, step)) if cost.is_sound() => {
                    read.steps_ns.push(step);
                    read.matrix.costs.push(PairCost { cpus: (index(*row), index(*column)), cost });
                }
                _ => read.matrix.unreadable_cells += 1,
            }
        }
        read.matrix.cpus = cpus;
        if read.matrix.costs.is_empty() { Err(NoMatrix::NoNumbers) } else { Ok(read) }
    }
}

/// A matrix, and how it was written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ReadMatrix {
    pub(super) matrix: PairMatrix,
    /// What the last digit of each cost counts.
    pub(super) steps_ns: Vec<f64>,
    pub(super) has_labels: bool,
    pub(super) is_size_proven: bool,
}

/// Figures in a text: several, or one that was cut.
fn is_unclear(text: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    text.starts_with(is_digit) || (text.contains([' ', '\t']) && text.contains(is_digit))
}

/// Refuses cells with several values.
fn ensure_clear(grid: &[(usize, usize, Cell<'_>)]) -> Result<(), NoMatrix> {
    for (.., cell) in grid {
        match cell {
            Cell::Text(text) if has_thousands(text) => {
                return Err(NoMatrix::Thousands((*text).to_owned()));
            }
            Cell::Text(text) if is_unclear(text) => {
                return Err(NoMatrix::UnclearCell((*text).to_owned()));
            }
            _ => {}
        }
    }
    let marks = || grid.iter().filter_map(|(.., cell)| cell.figure());
    let doubtful = marks().find(|figure| figure.mark == DecimalMark::DoubtfulComma);
    match doubtful {
        Some(figure) if !marks().any(|figure| figure.mark == DecimalMark::Comma) => {
            Err(NoMatrix::Thousands(format!("{:.3}", figure.value).replace('.', ",")))
        }
        _ => Ok(()),
    }
}

impl ReadMatrix {
    /// The more precise of two matrices with the same costs, and the labels of either.
    pub(super) fn same_as(&self, other: &Self) -> Option<Self> {
        let are_named_alike = self.matrix.cpus == other.matrix.cpus
            || (self.has_labels != other.has_labels
                && self.matrix.cpus.len() == other.matrix.cpus.len());
        let by_pair = |read: &Self| {
            let mut costs: Vec<_> = read.matrix.costs.iter().zip(&read.steps_ns).collect();
            costs.sort_by_key(|(pair, _)| pair.cpus);
            costs.into_iter().map(|(pair, step)| (pair.cpus, pair.cost.median_ns, *step)).collect()
        };
        let (ours, theirs): (Vec<_>, Vec<_>) = (by_pair(self), by_pair(other));
        let is_same = ours.len() == theirs.len()
            && ours.iter().zip(&theirs).all(|(a, b)| {
                // The less precise one is rounded.
                let rounding = if a.2 == b.2 { 0.0 } else { 0.501 * a.2.max(b.2) };
                a.0 == b.0 && (a.1 - b.1).abs() <= rounding + 1e-9
            });
        let digits = |read: &Self| read.steps_ns.iter().sum::<f64>();
        let precise = if digits(other) < digits(self) { other } else { self };
        let named = if self.has_labels { self } else { other };
        let mut same = precise.clone();
        same.matrix.cpus.clone_from(&named.matrix.cpus);
        same.has_labels = named.has_labels;
        same.is_size_proven = self.is_size_proven || other.is_size_proven;
        (are_named_alike && is_same).then_some(same)
    }
}
