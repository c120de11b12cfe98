//! Which CPU is a row, which a column?

use nearfar_model::CpuId;

use super::NoMatrix;
use super::cell::{Cell, DecimalMark};

/// A first row that holds labels of CPUs and nothing else.
#[derive(Clone, Debug)]
pub(super) struct Head {
    pub(super) labels: Vec<u32>,
    pub(super) are_words: bool,
    /// Whether a cell stands above the rows' labels.
    pub(super) has_corner: bool,
    /// Columns behind the CPUs' that sum them up.
    pub(super) summaries: usize,
}

impl Head {
    /// Reads a row that may have some words before the labels.
    pub(super) fn new(cells: &[Cell<'_>], most_words: usize) -> Result<Option<Self>, NoMatrix> {
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
    pub(super) fn is_certain(&self, body: &[Cell<'_>]) -> bool {
        self.are_words || are_counted(&self.labels) || have_marks(body)
    }
}

/// 0, 1, 2 and so on.
pub(super) fn are_counted(labels: &[u32]) -> bool {
    labels.len() > 2
        && labels[0] <= 1
        && labels.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]))
}

/// Figures that all have decimals or a unit, as labels do not.
pub(super) fn have_marks(cells: &[Cell<'_>]) -> bool {
    let mut figures = cells.iter().filter_map(Cell::figure).peekable();
    figures.peek().is_some() && figures.all(|figure| figure.mark != DecimalMark::None)
}

pub(super) fn ensure_distinct(labels: &[u32]) -> Result<(), NoMatrix> {
    let mut sorted = labels.to_vec();
    sorted.sort_unstable();
    let twice = sorted.windows(2).find(|pair| pair[0] == pair[1]);
    twice.map_or(Ok(()), |pair| Err(NoMatrix::Twice(CpuId(pair[0]))))
}

/// The rows of the square that are there: all, or all but the first or the last, which a triangle
/// has no cells in.
pub(super) fn first_row(side: &[u32], head: &[u32]) -> Option<usize> {
    (0..2).find(|first| {
        let rows = head.get(*first..first + side.len());
        side.len() + 1 >= head.len() && rows == Some(side)
    })
}
