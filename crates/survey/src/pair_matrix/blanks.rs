//! Rows whose cells are separated by blanks: an empty cell cannot be seen, and a terminal folds
//! them. How many figures each row has proves which they are.

use nearfar_model::CpuId;

use super::NoMatrix;
use super::Shape;
use super::cell::{Cell, is_cpu_word, ns_in};
use super::grid::{Grid, Placed};
use super::lines::Line;
use super::{Head, are_counted};

struct Row<'a> {
    line: usize,
    cells: Vec<Cell<'a>>,
}

/// All ways to read these lines.
pub(super) fn grids<'a>(lines: &[Line<'a>]) -> Result<Vec<Grid<'a>>, NoMatrix> {
    let rows: Vec<Row<'a>> = lines
        .iter()
        .map(|line| Row { line: line.number, cells: cells(line.text) })
        .filter(|row| !row.cells.is_empty())
        .collect();
    let mut search = Search { found: Vec::new(), why: None };
    let mut are_certain = false;
    for (head, body) in heads(&rows)? {
        are_certain |= head.are_words || are_counted(&head.labels);
        let before = search.found.len();
        for has_side in [true, false] {
            let (labels, cpus) = (Some(&head.labels[..]), head.labels.len());
            if search.found.len() == before && (has_side || !begins_with_labels(body, &head)) {
                search.shapes(body, &Plan { labels, cpus, has_side, head: Some(&head) });
            }
        }
    }
    if !are_certain {
        let side: Option<Vec<u32>> =
            rows.iter().map(|row| row.cells.first().and_then(Cell::label)).collect();
        let are_words = rows.iter().all(|row| matches!(row.cells[0], Cell::Text(_)));
        let side = side.filter(|side| {
            are_words || (side.len() > 1 && side.windows(2).all(|pair| pair[0] < pair[1]))
        });
        let is_side = side.as_ref().is_some_and(|side| are_words || are_counted(side));
        if side.as_ref().is_some_and(|side| side.len() == 2) && !are_words {
            // Two labels, or costs of three CPUs.
            let columns = rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
            return Err(NoMatrix::NotSquare { rows: 2, columns });
        }
        if let Some(side) = &side {
            let cpus = side.len();
            search.shapes(&rows, &Plan { labels: Some(side), cpus, has_side: true, head: None });
        }
        if !is_side {
            for cpus in [rows.len(), rows.len() + 1] {
                search.shapes(&rows, &Plan { labels: None, cpus, has_side: false, head: None });
            }
        }
    }
    if let [Row { cells, .. }] = &rows[..] {
        if cells.len() < 2 && search.found.is_empty() {
            return Err(NoMatrix::NoNumbers);
        }
    }
    match search.why {
        Some((_, why)) if search.found.is_empty() => Err(why),
        _ => Ok(search.found),
    }
}

/// Headers that the first lines may be, and the rows below each.
fn heads<'a, 'r>(rows: &'r [Row<'a>]) -> Result<Vec<(Head, &'r [Row<'a>])>, NoMatrix> {
    let mut cells: Vec<Cell<'a>> = Vec::new();
    let mut heads = Vec::new();
    for (place, row) in rows.iter().enumerate() {
        cells.extend(&row.cells);
        match Head::new(&cells, 3) {
            Ok(Some(head)) if place + 1 < rows.len() => heads.push((head, &rows[place + 1..])),
            Err(error) if place == 0 => return Err(error),
            _ if place == 0 => {}
            _ => break,
        }
        if place > 0 && heads.is_empty() {
            break;
        }
    }
    Ok(heads)
}

/// Whether the first rows begin with the header's first labels, or those after its first.
fn begins_with_labels(rows: &[Row<'_>], head: &Head) -> bool {
    let mut firsts = rows.iter().take(2).map(|row| row.cells[0].label());
    let first = firsts.next().flatten();
    let at = head.labels.iter().take(2).position(|label| Some(*label) == first);
    // The second line may belong to the first row.
    at.is_some_and(|at| {
        firsts.all(|label| label.is_none() || label.as_ref() == head.labels.get(at + 1))
    })
}

/// The cells of a line.
fn cells(line: &str) -> Vec<Cell<'_>> {
    let mut cells: Vec<Cell<'_>> = Vec::new();
    let mut word: Option<usize> = None;
    let mut is_spread = false;
    for token in line.split_whitespace() {
        let start = token.as_ptr() as usize - line.as_ptr() as usize;
        let cell = Cell::parse(token);
        let begins = word.take();
        if std::mem::take(&mut is_spread) && cell.figure().is_some() {
            continue;
        }
        match cell {
            Cell::Spread => {}
            Cell::Text("±" | "+/-" | "+-") => is_spread = true,
            // A unit belongs to the figure before.
            Cell::Text(unit) if takes_unit(&mut cells, unit) => {}
            Cell::Figure(_) if begins.is_some() && cell.label().is_some() => {
                cells.pop();
                cells.push(Cell::Text(&line[begins.unwrap_or(start)..start + token.len()]));
            }
            _ => {
                word = is_cpu_word(token).then_some(start);
                cells.push(cell);
            }
        }
    }
    cells
}

fn takes_unit(cells: &mut [Cell<'_>], unit: &str) -> bool {
    match (cells.last_mut(), ns_in(unit)) {
        (Some(Cell::Figure(figure)), Some(ns)) => {
            *figure = figure.in_unit(ns);
            true
        }
        _ => false,
    }
}

/// What rows are expected to be.
struct Plan<'p> {
    labels: Option<&'p [u32]>,
    cpus: usize,
    has_side: bool,
    head: Option<&'p Head>,
}

struct Search<'a> {
    found: Vec<Grid<'a>>,
    /// Rows that were read, and why no more.
    why: Option<(usize, NoMatrix)>,
}

impl<'a> Search<'a> {
    fn shapes(&mut self, rows: &[Row<'a>], plan: &Plan<'_>) {
        if plan.cpus < 2 {
            return;
        }
        if plan.head.is_some() && rows.len() < 2 {
            self.why = Some((0, missing(rows, rows.len(), plan.cpus)));
            return;
        }
        for shape in Shape::ALL {
            // Without labels such rows are not square, and one cost is that of a lower triangle.
            let is_one_cost = shape == Shape::Upper && plan.cpus == 2;
            if (shape == Shape::Hollow || is_one_cost) && plan.labels.is_none() {
                continue;
            }
            let is_bare = plan.labels.is_none() && plan.cpus > rows.len();
            match placed(rows, plan, shape) {
                // Where the empty row of a triangle is left out, the others are full.
                Ok(cells) if is_bare && cells.iter().any(|(.., cell)| cell.is_nothing()) => {}
                Ok(cells) => self.found.push(grid(rows, plan, shape, cells)),
                Err((read, why)) => {
                    if self.why.as_ref().is_none_or(|(most, _)| read > *most) {
                        self.why = Some((read, why));
                    }
                }
            }
        }
    }
}

fn grid<'a>(rows: &[Row<'a>], plan: &Plan<'_>, shape: Shape, cells: Placed<'a>) -> Grid<'a> {
    let figures: Vec<Cell<'_>> = cells.iter().map(|(.., cell)| *cell).collect();
    let is_certain = match (plan.head, plan.labels) {
        (Some(head), _) => head.is_certain(&figures),
        (None, Some(side)) => {
            let are_words = rows.iter().all(|row| matches!(row.cells[0], Cell::Text(_)));
            are_words || are_counted(side)
        }
        (None, None) => false,
    };
    Grid {
        labels: plan.labels.map(<[u32]>::to_vec),
        cpus: plan.cpus,
        cells,
        is_certain,
        is_size_proven: plan.head.is_some() || shape == Shape::Full,
    }
}

/// Each cell with its row and column; or how many rows were as expected, and what the next was.
fn placed<'a>(
    rows: &[Row<'a>],
    plan: &Plan<'_>,
    shape: Shape,
) -> Result<Placed<'a>, (usize, NoMatrix)> {
    let mut placed = Vec::new();
    let mut lines = rows.iter().peekable();
    // Two rows of three CPUs may be an upper triangle, or a square that was cut within the second.
    let is_cut = |row: usize| plan.head.is_some() && row == 2 && plan.cpus == 3;
    for row in 0..plan.cpus {
        let wanted = shape.cells(row, plan.cpus);
        if wanted == 0 && !plan.has_side && !is_cut(row) {
            continue;
        }
        let label = plan.labels.map(|labels| labels[row]).filter(|_| plan.has_side);
        let is_here = |line: &Row<'_>| label.is_none() || line.cells[0].label() == label;
        let Some(line) = lines.next_if(|line| is_here(line)) else {
            match lines.peek() {
                _ if wanted == 0 && !is_cut(row) => continue,
                None => return Err((row, missing(rows, row, plan.cpus))),
                Some(line) => return Err((row, other_row(line, label))),
            }
        };
        let mut cells: Vec<Cell<'a>> = line.cells[usize::from(label.is_some())..].to_vec();
        let summaries = plan.head.map_or(0, |head| head.summaries);
        let all = if wanted == 0 && cells.is_empty() { 0 } else { wanted + summaries };
        let found = cells.len();
        // A folded row goes on in the next line, which has no label.
        while plan.head.is_some() && cells.len() < all {
            let Some(line) = lines.next() else { break };
            cells.extend(&line.cells);
        }
        if cells.len() != all {
            return Err((row, NoMatrix::UnevenRow { line: line.line, found, wanted }));
        }
        let place = |(place, cell): (usize, &Cell<'a>)| (row, shape.column(row, place), *cell);
        placed.extend(cells[..wanted.min(cells.len())].iter().enumerate().map(place));
    }
    match lines.next() {
        Some(line) => {
            let more = NoMatrix::UnevenRow { line: line.line, found: line.cells.len(), wanted: 0 };
            Err((plan.cpus, more))
        }
        None => Ok(placed),
    }
}

fn missing(rows: &[Row<'_>], read: usize, cpus: usize) -> NoMatrix {
    let first = rows.first().map_or(0, |row| row.line.saturating_sub(1));
    NoMatrix::MissingRows { rows: read, cpus, first, last: rows.last().map_or(0, |row| row.line) }
}

fn other_row(line: &Row<'_>, label: Option<u32>) -> NoMatrix {
    match (line.cells[0].label(), label) {
        (Some(row), Some(wanted)) => {
            NoMatrix::OtherRow { line: line.line, row: CpuId(row), wanted: CpuId(wanted) }
        }
        _ => NoMatrix::UnevenRow { line: line.line, found: line.cells.len(), wanted: 0 },
    }
}
