//! Which CPU is a row, which a column?

use nearfar_model::CpuId;

use super::NoMatrix;
use super::cell::CsvField;

/// The CPUs of rows and columns.
#[derive(Debug)]
pub(super) struct CpuLabels {
    rows: Vec<CpuId>,
    columns: Vec<CpuId>,
}

impl CpuLabels {
    /// Takes a line and a column of labels out of the table; `None` where there are neither.
    pub(super) fn take(table: &mut Vec<Vec<CsvField<'_>>>) -> Option<Self> {
        let head =
            table.first().and_then(|first| head(first)).filter(|head| head.fits(&table[1..]));
        if head.is_some() {
            table.remove(0);
        }
        let has_corner = head.as_ref().is_some_and(|head| head.has_corner);
        let wider = head
            .as_ref()
            .is_some_and(|head| table.iter().any(|row| row.len() > head.columns.len()));
        let side = side(table, head.is_some()).filter(|_| has_corner || wider || head.is_none());
        if has_corner || side.is_some() {
            for row in table.iter_mut().filter(|row| !row.is_empty()) {
                row.remove(0);
            }
        }
        if head.is_none() && side.is_none() {
            return None;
        }
        let longest = table.iter().map(Vec::len).max().unwrap_or(0);
        let columns = head.map(|head| head.columns);
        // A triangle has a row more than columns, or a column more than rows that hold anything.
        let rows = side.or_else(|| columns.clone()).unwrap_or_else(|| counted(0, table.len()));
        let columns = columns.unwrap_or_else(|| {
            if longest > rows.len() { counted(0, longest) } else { rows.clone() }
        });
        Some(Self { rows, columns })
    }

    /// CPUs counted from 0, the rows from another number on.
    pub(super) fn counted(rows: usize, first_row: usize, columns: usize) -> Self {
        Self { rows: counted(first_row, rows), columns: counted(0, columns) }
    }

    /// All CPUs, ascending.
    pub(super) fn cpus(&self) -> Result<Vec<CpuId>, NoMatrix> {
        let mut all = Vec::new();
        for side in [&self.rows, &self.columns] {
            let mut sorted = side.clone();
            sorted.sort_unstable();
            if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
                return Err(NoMatrix::Twice(pair[0]));
            }
            all.extend(sorted);
        }
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }

    pub(super) fn row(&self, index: usize) -> Option<CpuId> {
        self.rows.get(index).copied()
    }

    pub(super) fn column(&self, index: usize) -> Option<CpuId> {
        self.columns.get(index).copied()
    }
}

fn counted(first: usize, count: usize) -> Vec<CpuId> {
    (first..first + count).filter_map(|cpu| u32::try_from(cpu).ok()).map(CpuId).collect()
}

struct Head {
    columns: Vec<CpuId>,
    /// Whether a cell stands above the rows' labels.
    has_corner: bool,
    are_words: bool,
}

impl Head {
    /// Numbers may be labels or costs: with fewer of them than rows below, which have no labels,
    /// they are a row like those.
    fn fits(&self, below: &[Vec<CsvField<'_>>]) -> bool {
        let columns = self.columns.len();
        self.has_corner
            || self.are_words
            || below.len() <= columns
            || below.iter().any(|row| row.len() > columns)
    }
}

/// The labels of a first line that has nothing else: words with numbers, or 0, 1, 2 and so on.
fn head(cells: &[CsvField<'_>]) -> Option<Head> {
    let has_corner = cells.first()?.label().is_none();
    let body = &cells[usize::from(has_corner)..];
    // Separators at the line's end are no labels.
    let end = body.iter().rposition(|cell| *cell != CsvField::Empty)? + 1;
    let labels: Vec<u32> = body[..end].iter().map(CsvField::label).collect::<Option<_>>()?;
    let are_words = body[..end].iter().all(|cell| !cell.is_number());
    let are_counted = labels[0] <= 1 && labels.windows(2).all(|pair| pair[0] + 1 == pair[1]);
    let is_head = labels.len() > 1 && (are_words || are_counted) || (are_words && has_corner);
    is_head.then(|| Head {
        columns: labels.into_iter().map(CpuId).collect(),
        has_corner,
        are_words,
    })
}

/// The labels that rows begin with: words with numbers, or, below a head or for three rows or more,
/// 0, 1, 2 and so on.
fn side(table: &[Vec<CsvField<'_>>], below_head: bool) -> Option<Vec<CpuId>> {
    let first = || table.iter().filter_map(|row| row.first());
    let labels: Vec<u32> = first().map(CsvField::label).collect::<Option<_>>()?;
    let are_words = !labels.is_empty() && first().all(|cell| !cell.is_number());
    let are_counted =
        labels.len() > 2 && labels[0] <= 1 && labels.windows(2).all(|pair| pair[0] + 1 == pair[1]);
    (are_words || are_counted || below_head).then(|| labels.into_iter().map(CpuId).collect())
}
