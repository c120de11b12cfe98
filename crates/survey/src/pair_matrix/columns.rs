//! Rows whose cells are separated by a mark: each cell has its column.

use nearfar_model::CpuId;

use super::Shape;
use super::cell::Cell;
use super::grid::{Grid, Placed};
use super::lines::Line;
use super::{Head, are_counted, ensure_distinct, first_row};
use super::{MAX_CPUS, NoMatrix};

struct Row<'a> {
    line: usize,
    cells: Vec<Cell<'a>>,
}

/// The rows of a square that are there, from a first one on.
struct Square<'a, 'r> {
    cpus: usize,
    first: usize,
    rows: Vec<(usize, &'r [Cell<'a>])>,
}

/// All ways to read these lines.
pub(super) fn grids<'a>(lines: &[Line<'a>], mark: char) -> Result<Vec<Grid<'a>>, NoMatrix> {
    let mut rows: Vec<Row<'a>> =
        lines.iter().map(|line| Row { line: line.number, cells: cells(line.text, mark) }).collect();
    drop_other_columns(&mut rows)?;
    let columns = rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
    if columns > MAX_CPUS + 2 {
        return Err(NoMatrix::TooManyCpus(columns));
    }
    let head = rows.first().map(|row| Head::new(&row.cells, 1)).transpose()?.flatten();
    let head = head.filter(|head| head.are_words || rows.len() > 1);
    let mut readings = Vec::new();
    if let Some(head) = &head {
        readings.push(below_head(head, &rows[1..], true));
        if !head.has_corner && readings[0].is_err() {
            readings.push(below_head(head, &rows[1..], false));
        }
    }
    if !head.is_some_and(|head| head.are_words || are_counted(&head.labels)) {
        readings.retain(Result::is_ok);
        let side = side(&rows);
        let is_certain = side.as_ref().is_some_and(|side| is_certain_side(&rows, side));
        let beside = side.map(|side| beside_labels(side, &rows));
        readings.extend(beside.filter(|reading| is_certain || reading.is_ok()));
        if !is_certain {
            readings.extend(without_labels(&rows, columns));
        }
    }
    let (found, why): (Vec<_>, Vec<_>) = readings.into_iter().partition(Result::is_ok);
    let mut why = why.into_iter().filter_map(Result::err);
    let first = why.next().unwrap_or(NoMatrix::NoNumbers);
    if !found.is_empty() {
        return Ok(found.into_iter().filter_map(Result::ok).collect());
    }
    let is_square = !matches!(first, NoMatrix::NotSquare { .. });
    Err(if is_square { first } else { why.next_back().unwrap_or(first) })
}

/// The cells of a line; a mark within quotes is part of its cell.
fn cells(line: &str, mark: char) -> Vec<Cell<'_>> {
    let line = if mark == '|' {
        let line = line.trim();
        let line = line.strip_prefix(['|', '│']).unwrap_or(line);
        line.strip_suffix(['|', '│']).unwrap_or(line)
    } else {
        line
    };
    let mut is_quoted = false;
    let is_mark = |c: char| {
        is_quoted ^= c == '"';
        !is_quoted && (c == mark || (mark == '|' && c == '│'))
    };
    let mut cells: Vec<Cell<'_>> = line.split(is_mark).map(Cell::parse).collect();
    if is_quoted {
        // The line was cut within a cell.
        cells.push(Cell::Text("\""));
    }
    cells
}

/// Drops columns of spreads and of what sums up others.
fn drop_other_columns(rows: &mut [Row<'_>]) -> Result<(), NoMatrix> {
    let Some(head) = rows.first() else { return Ok(()) };
    let mut dropped: Vec<usize> = (1..head.cells.len())
        .filter(|column| head.cells[*column].is_summary())
        .chain(rows.iter().flat_map(|row| {
            row.cells.iter().enumerate().filter(|(_, cell)| **cell == Cell::Spread).map(|(c, _)| c)
        }))
        .collect();
    dropped.sort_unstable();
    dropped.dedup();
    let is_other = |cell: Option<&Cell<'_>>| {
        cell.is_none_or(|cell| *cell == Cell::Empty || *cell == Cell::Spread)
    };
    for &column in dropped.iter().rev() {
        let is_summary = rows[0].cells.get(column).is_some_and(Cell::is_summary);
        if !is_summary && !rows[1..].iter().all(|row| is_other(row.cells.get(column))) {
            return Err(NoMatrix::UnclearCell("±".to_owned()));
        }
        for row in rows.iter_mut().filter(|row| column < row.cells.len()) {
            row.cells.remove(column);
        }
    }
    Ok(())
}

/// The CPUs that the rows begin with.
fn side(rows: &[Row<'_>]) -> Option<Vec<u32>> {
    let labels = rows.iter().map(|row| row.cells.first()?.label());
    let labels: Vec<u32> = labels.collect::<Option<_>>()?;
    let are_words = rows.iter().all(|row| matches!(row.cells.first(), Some(Cell::Text(_))));
    let is_side = are_words || labels.windows(2).all(|pair| pair[0] < pair[1]);
    // Two rows may be those of a triangle of three CPUs.
    let is_square = labels.len() > 2 || rows.iter().all(|row| row.cells.len() == labels.len() + 1);
    (is_side && (are_words || is_square)).then_some(labels)
}

fn is_certain_side(rows: &[Row<'_>], side: &[u32]) -> bool {
    are_counted(side) || rows.iter().all(|row| matches!(row.cells[0], Cell::Text(_)))
}

fn below_head<'a>(head: &Head, rows: &[Row<'a>], has_side: bool) -> Result<Grid<'a>, NoMatrix> {
    let cpus = head.labels.len();
    if cpus < 2 || rows.is_empty() {
        return Err(NoMatrix::NotSquare { rows: rows.len(), columns: cpus });
    }
    let (first, last) = (
        rows.first().map_or(0, |row| row.line.saturating_sub(1)),
        rows.last().map_or(0, |row| row.line),
    );
    let missing = NoMatrix::MissingRows { rows: rows.len(), cpus, first, last };
    let firsts = if has_side {
        let labels = rows.iter().map(|row| row.cells.first().and_then(Cell::label));
        let Some(side) = labels.collect::<Option<Vec<u32>>>() else {
            return Err(NoMatrix::NotSquare { rows: rows.len(), columns: cpus });
        };
        ensure_distinct(&side)?;
        match first_row(&side, &head.labels) {
            Some(first) => first..first + 1,
            None if head.labels.starts_with(&side) => return Err(missing),
            None => return Err(other_row(rows, &side, &head.labels)),
        }
    } else if rows.len() == cpus {
        0..1
    } else if rows.len() + 1 == cpus {
        0..2
    } else if rows.len() < cpus {
        return Err(missing);
    } else {
        return Err(NoMatrix::NotSquare { rows: rows.len(), columns: cpus });
    };
    let mut why = missing.clone();
    for first in firsts {
        let square = Square { cpus, first, rows: body(rows, usize::from(has_side)) };
        match square.placed(true) {
            Ok((cells, _)) => {
                let figures: Vec<Cell<'_>> = cells.iter().map(|(.., cell)| *cell).collect();
                return Ok(Grid {
                    labels: Some(head.labels.clone()),
                    cpus,
                    cells,
                    is_certain: head.is_certain(&figures),
                    is_size_proven: true,
                });
            }
            Err(NoMatrix::MissingRows { .. }) => why = missing.clone(),
            Err(error) => why = error,
        }
    }
    Err(why)
}

fn other_row(rows: &[Row<'_>], side: &[u32], head: &[u32]) -> NoMatrix {
    let other = side.iter().zip(head).position(|(row, column)| row != column);
    other.map_or(NoMatrix::NotSquare { rows: side.len(), columns: head.len() }, |at| {
        NoMatrix::OtherRow { line: rows[at].line, row: CpuId(side[at]), wanted: CpuId(head[at]) }
    })
}

fn beside_labels<'a>(side: Vec<u32>, rows: &[Row<'a>]) -> Result<Grid<'a>, NoMatrix> {
    ensure_distinct(&side)?;
    let square = Square { cpus: side.len(), first: 0, rows: body(rows, 1) };
    let (cells, is_size_proven) = square.placed(false)?;
    Ok(Grid {
        cpus: side.len(),
        is_certain: is_certain_side(rows, &side),
        labels: Some(side),
        cells,
        is_size_proven,
    })
}

fn without_labels<'a>(rows: &[Row<'a>], columns: usize) -> Vec<Result<Grid<'a>, NoMatrix>> {
    let ends_empty = |row: &Row<'_>| row.cells.last() == Some(&Cell::Empty);
    let is_ended = rows.iter().all(|row| row.cells.len() == columns && ends_empty(row));
    let mut squares = Vec::new();
    if rows.len() == columns || (is_ended && rows.len() + 1 == columns) {
        squares.push(Square { cpus: rows.len(), first: 0, rows: body(rows, 0) }.placed(false));
    }
    let bare = Square { cpus: rows.len() + 1, first: 1, rows: body(rows, 0) };
    squares.extend(bare.bare().map(|cells| Ok((cells, false))));
    if squares.is_empty() {
        let lines = (rows.first().map_or(0, |row| row.line), rows.last().map_or(0, |row| row.line));
        squares.push(Err(if rows.len() < columns && columns > 2 {
            NoMatrix::MissingRows { rows: rows.len(), cpus: columns, first: lines.0, last: lines.1 }
        } else {
            NoMatrix::NotSquare { rows: rows.len(), columns }
        }));
    }
    let grid = |(cells, is_size_proven): (Placed<'a>, bool)| Grid {
        labels: None,
        cpus: cells.iter().map(|(row, column, _)| row.max(column) + 1).max().unwrap_or(0),
        cells,
        is_certain: false,
        is_size_proven,
    };
    squares.into_iter().map(|square| square.map(grid)).collect()
}

fn body<'a, 'r>(rows: &'r [Row<'a>], from: usize) -> Vec<(usize, &'r [Cell<'a>])> {
    rows.iter().map(|row| (row.line, row.cells.get(from..).unwrap_or_default())).collect()
}

impl<'a> Square<'a, '_> {
    /// Each cell with its row and column, and whether all rows are as wide as the square.
    fn placed(&self, has_head: bool) -> Result<(Placed<'a>, bool), NoMatrix> {
        let is_whole = self.rows.iter().all(|(_, row)| self.fitted(row).len() == self.cpus);
        let shapes = [Shape::Upper, Shape::UpperDiagonal, Shape::Hollow];
        let shape = shapes.into_iter().find(|shape| {
            (has_head || *shape != Shape::Hollow)
                && self.indexed().all(|(row, cells)| cells.len() == shape.cells(row, self.cpus))
        });
        let shape = match shape {
            _ if is_whole || self.is_ragged_lower() => Shape::Full,
            Some(shape) => shape,
            None => return Err(self.uneven_row()),
        };
        let cells: Placed<'a> = self
            .indexed()
            .flat_map(|(row, cells)| {
                let place =
                    move |(place, cell): (usize, &Cell<'a>)| (row, shape.column(row, place), *cell);
                self.fitted(cells).iter().enumerate().map(place)
            })
            .collect();
        let is_cut = is_whole && self.first + self.rows.len() < self.cpus;
        if is_cut || self.lacks_row_of(&cells) {
            return Err(NoMatrix::MissingRows {
                rows: self.rows.len(),
                cpus: self.cpus,
                first: self.rows.first().map_or(0, |row| row.0),
                last: self.rows.last().map_or(0, |row| row.0),
            });
        }
        Ok((cells, is_whole))
    }

    /// A lower triangle of costs without its first row, which would be empty.
    fn bare(&self) -> Option<Placed<'a>> {
        let is_cost = |cell: &Cell<'_>| cell.figure().is_some_and(|figure| figure.value > 0.0);
        let mut placed = Vec::new();
        for (row, cells) in self.indexed() {
            let costs = cells.strip_suffix(&[Cell::Empty]).unwrap_or(cells);
            if costs.len() != row || !costs.iter().all(is_cost) {
                return None;
            }
            placed.extend(costs.iter().enumerate().map(|(column, cell)| (row, column, *cell)));
        }
        Some(placed)
    }

    fn indexed(&self) -> impl Iterator<Item = (usize, &[Cell<'a>])> {
        self.rows.iter().enumerate().map(|(place, (_, cells))| (self.first + place, *cells))
    }

    /// A row without the empty cells behind the square's last.
    fn fitted<'r>(&self, mut row: &'r [Cell<'a>]) -> &'r [Cell<'a>] {
        while row.len() > self.cpus && row.last() == Some(&Cell::Empty) {
            row = &row[..row.len() - 1];
        }
        row
    }

    /// Rows that each have one cell more than the one before, and none beyond the diagonal.
    fn is_ragged_lower(&self) -> bool {
        let mut wider = self.indexed().filter(|(row, ..)| *row > 0).map(|(row, cells)| {
            let end =
                cells.iter().rposition(|cell| *cell != Cell::Empty).map_or(0, |last| last + 1);
            (end <= row + 1).then(|| cells.len().checked_sub(row)).flatten()
        });
        let Some(Some(first @ 0..=2)) = wider.next() else { return false };
        let has_first = self.first == 0;
        let first_end = self.rows.first().map_or(0, |(_, cells)| {
            cells.iter().rposition(|cell| *cell != Cell::Empty).map_or(0, |last| last + 1)
        });
        wider.all(|more| more == Some(first)) && (!has_first || first_end <= 1)
    }

    /// Without a row there has to be a triangle in which that row would be empty.
    fn lacks_row_of(&self, cells: &Placed<'_>) -> bool {
        let last = self.first + self.rows.len();
        let has_cell = |at: (usize, usize)| {
            cells.iter().any(|(row, column, cell)| (*row, *column) == at && !cell.is_nothing())
        };
        let is_nothing = |is_upper: bool| {
            let beyond =
                |row: usize, column: usize| if is_upper { column <= row } else { column >= row };
            cells.iter().all(|(row, column, cell)| !beyond(*row, *column) || cell.is_nothing())
        };
        (self.first == 1 && !(has_cell((1, 0)) && is_nothing(false)))
            || (last < self.cpus && self.cpus <= 3)
            || (last < self.cpus && !(has_cell((last - 1, last)) && is_nothing(true)))
    }

    fn uneven_row(&self) -> NoMatrix {
        let wanted = self.cpus;
        let uneven = self.rows.iter().find(|(_, cells)| self.fitted(cells).len() != wanted);
        let (line, found) = uneven.map_or((0, 0), |(line, cells)| (*line, cells.len()));
        NoMatrix::UnevenRow { line, found, wanted }
    }
}
