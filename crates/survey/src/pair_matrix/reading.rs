//! The matrix of a text: that of its one block which is a matrix.

use nearfar_view::input::without_colours;

use super::cell::Cell;
use super::grid::{Grid, ReadMatrix};
use super::lines::{Block, Blocks, Line, blocks, may_be_row};
use super::{MAX_CPUS, NoMatrix, PairMatrix, blanks, columns};
use super::{has_unit, ns_per_figure};

/// Rows of all tables of a text: those of the largest matrix, folded.
const MAX_ROWS: usize = 300_000;
/// Cells of the largest matrix, with a spread for each.
const MAX_CELLS: usize = 2 * (MAX_CPUS + 2) * (MAX_CPUS + 2);

/// Lines that state a unit.
const MAX_REMARKS: usize = 20;
const NARROWEST: usize = 40;

/// Rows that were read as one matrix.
struct Found {
    lines: String,
    read: ReadMatrix,
    rows: usize,
}

pub(super) fn matrix(text: &str) -> Result<PairMatrix, NoMatrix> {
    let text = without_colours(text);
    let text = listed_rows(&text);
    let blocks = blocks(&text, MAX_ROWS).ok_or(NoMatrix::TooManyRows(MAX_ROWS))?;
    let all_lines = blocks.lines();
    let (mut found, failed) = all_matrices(&blocks);
    let Some(first) = found.pop() else {
        let largest = failed.into_iter().max_by_key(|(lines, _)| lines.len());
        return Err(largest.map_or(NoMatrix::NoNumbers, |(_, why)| why));
    };
    let mut joined = first;
    for other in found.iter().rev() {
        joined.read = joined.read.same_as(&other.read).ok_or_else(|| {
            let mut lines: Vec<&str> = found.iter().map(|found| found.lines.as_str()).collect();
            lines.push(&joined.lines);
            NoMatrix::Several(lines.join(", "))
        })?;
        joined.rows += other.rows;
    }
    if let Some(line) = blocks.prose.iter().find(|line| may_be_row(line.text)) {
        return Err(NoMatrix::MoreRows(line.number.to_string()));
    }
    let is_row = |line: &&Line<'_>| columns_of(line) > 1;
    let more = failed.iter().find(|(lines, _)| lines.iter().any(|line| is_row(&line)));
    match more {
        Some((lines, _)) if !joined.read.is_size_proven => Err(NoMatrix::MoreRows(range(lines))),
        _ => {
            let mut matrix = joined.read.matrix;
            matrix.skipped_lines = all_lines - joined.rows;
            Ok(matrix)
        }
    }
}

type Failed<'b, 'a> = Vec<(Vec<Line<'a>>, NoMatrix)>;

fn all_matrices<'b, 'a>(blocks: &'b Blocks<'a>) -> (Vec<Found>, Failed<'b, 'a>) {
    let (mut found, mut failed) = (Vec::new(), Vec::new());
    let stating = blocks.prose.iter().filter(|line| has_unit(line.text)).take(MAX_REMARKS);
    let stating: Vec<Line<'_>> = stating.copied().collect();
    for block in &blocks.blocks {
        let whole = lines_of(block);
        let mut parts = vec![whole];
        let mut is_whole = true;
        while let Some(lines) = parts.pop() {
            match read(&lines, &stating) {
                Ok((read, rows)) => found.push(Found { lines: range(&lines), read, rows }),
                Err(_) if is_whole && block.parts.len() > 1 => {
                    parts = block.parts.iter().rev().cloned().collect();
                }
                Err(why) => failed.push((lines, why)),
            }
            is_whole = false;
        }
    }
    (found, failed)
}

fn lines_of<'a>(block: &Block<'a>) -> Vec<Line<'a>> {
    block.parts.iter().flatten().copied().collect()
}

fn range(lines: &[Line<'_>]) -> String {
    let number = |line: Option<&Line<'_>>| line.map_or(0, |line| line.number);
    format!("{}-{}", number(lines.first()), number(lines.last()))
}

fn columns_of(line: &Line<'_>) -> usize {
    line.text.split([' ', '\t', ',', ';', '|']).filter(|token| !token.is_empty()).count()
}

/// The matrix of these lines, whatever separates their cells, and how many lines it has.
fn read(lines: &[Line<'_>], prose: &[Line<'_>]) -> Result<(ReadMatrix, usize), NoMatrix> {
    let mut rows = lines.to_vec();
    let is_summary = |line: &Line<'_>| {
        let first =
            line.text.trim_start().split([' ', '\t', ',', ';', '|']).find(|t| !t.is_empty());
        first.is_some_and(|first| Cell::parse(first).is_summary())
    };
    let head = rows.first().copied();
    rows.retain(|line| head.is_some_and(|head| head.number == line.number) || !is_summary(line));
    if head.is_some_and(|head| head.text.to_ascii_lowercase().contains("node")) {
        return Err(NoMatrix::Nodes);
    }
    let scale = ns_per_figure(prose.iter().chain(&head).map(|line| line.text))?;
    if !rows.iter().any(|line| line.text.contains(|c: char| c.is_ascii_digit())) {
        return Err(NoMatrix::NoNumbers);
    }
    let mut readings: Vec<ReadMatrix> = Vec::new();
    let mut why: Option<NoMatrix> = None;
    for mark in separators(&rows) {
        match separated(&rows, mark, scale) {
            Ok(read) if !readings.contains(&read) => readings.push(read),
            Ok(_) => {}
            Err(error) if why.as_ref().is_none_or(|why| is_closer(&error, why)) => {
                why = Some(error);
            }
            Err(_) => {}
        }
    }
    readings.dedup_by(|a, b| a.matrix == b.matrix);
    match readings.pop() {
        Some(read) if readings.is_empty() => Ok((read, rows.len())),
        Some(_) => Err(ambiguous(lines)),
        // A header alone.
        None if rows.len() == 1 && matches!(why, Some(NoMatrix::NotSquare { .. })) => {
            Err(NoMatrix::NoNumbers)
        }
        None => Err(why.unwrap_or(NoMatrix::NoNumbers)),
    }
}

/// Whether the one reading fitted better than the other.
fn is_closer(why: &NoMatrix, than: &NoMatrix) -> bool {
    let distance = |why: &NoMatrix| match why {
        NoMatrix::NoNumbers => 2,
        NoMatrix::NotSquare { .. }
        | NoMatrix::MissingRows { .. }
        | NoMatrix::UnevenRow { .. }
        | NoMatrix::UnclearCell(_)
        | NoMatrix::OtherRow { .. } => 1,
        _ => 0,
    };
    distance(why) < distance(than)
}

fn ambiguous(lines: &[Line<'_>]) -> NoMatrix {
    let number = |line: Option<&Line<'_>>| line.map_or(0, |line| line.number);
    NoMatrix::Ambiguous { first: number(lines.first()), last: number(lines.last()) }
}

/// What may stand between cells: blanks where it is `None`.
fn separators(lines: &[Line<'_>]) -> Vec<Option<char>> {
    let has = |mark: char| lines.iter().any(|line| line.text.contains(mark));
    if has('|') || has('│') {
        return vec![Some('|')];
    }
    if has(';') {
        return vec![Some(';')];
    }
    let marks = ['\t', ','].into_iter().filter(|mark| has(*mark)).map(Some);
    marks.chain([None]).collect()
}

fn separated(lines: &[Line<'_>], mark: Option<char>, scale: f64) -> Result<ReadMatrix, NoMatrix> {
    let is_mark = |c: char| mark.map_or(c == ' ' || c == '\t', |mark| c == mark);
    let cells: usize = lines.iter().map(|line| 1 + line.text.matches(is_mark).count()).sum();
    if mark.is_some() && cells > MAX_CELLS {
        let widest = lines.iter().map(|line| 1 + line.text.matches(is_mark).count()).max();
        return Err(NoMatrix::TooManyCpus(widest.unwrap_or(0).max(lines.len())));
    }
    let Some(mark) = mark else { return blank_separated(lines, scale) };
    choose(columns::grids(lines, mark)?, lines, scale)
}

/// A terminal may have folded rows within a figure.
fn blank_separated(lines: &[Line<'_>], scale: f64) -> Result<ReadMatrix, NoMatrix> {
    let cells: usize = lines.iter().map(|line| line.text.split_whitespace().count()).sum();
    if cells > MAX_CELLS {
        return Err(NoMatrix::TooManyCpus(lines.len()));
    }
    let choice = |lines: &[Line<'_>]| choose(blanks::grids(lines)?, lines, scale);
    let as_printed = choice(lines);
    let texts = unfolded(lines);
    if texts.len() == lines.len() || width(lines) < NARROWEST {
        return as_printed;
    }
    let joined: Vec<Line<'_>> =
        texts.iter().map(|(number, text)| Line { number: *number, text }).collect();
    match (as_printed, choice(&joined)) {
        (Ok(one), Ok(other)) if one.matrix != other.matrix => Err(ambiguous(lines)),
        (Err(_), Ok(joined)) if joined.has_labels && joined.is_size_proven => Ok(joined),
        (as_printed, _) => as_printed,
    }
}

fn width(lines: &[Line<'_>]) -> usize {
    lines.iter().map(|line| line.text.chars().count()).max().unwrap_or(0)
}

/// Lines of the full width go on in the next where that begins without a blank.
fn unfolded(lines: &[Line<'_>]) -> Vec<(usize, String)> {
    let widest = width(lines);
    let mut joined: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    for line in lines {
        match joined.last_mut() {
            Some((_, text)) if goes_on && !line.text.starts_with([' ', '\t']) => {
                text.push_str(line.text);
            }
            _ => joined.push((line.number, line.text.to_owned())),
        }
        goes_on = line.text.chars().count() == widest && !line.text.ends_with([' ', '\t']);
    }
    joined
}

/// The one reading that is certain, or that there is.
fn choose(
    mut grids: Vec<Grid<'_>>,
    lines: &[Line<'_>],
    scale: f64,
) -> Result<ReadMatrix, NoMatrix> {
    if let Some(grid) = grids.iter().find(|grid| grid.cpus > MAX_CPUS) {
        return Err(NoMatrix::TooManyCpus(grid.cpus));
    }
    if grids.iter().any(|grid| grid.is_certain) {
        grids.retain(|grid| grid.is_certain);
    }
    let is_doubtful =
        grids.iter().any(|grid| grid.has_doubtful_diagonal() && grid.has_low_diagonal());
    if is_doubtful {
        return Err(ambiguous(lines));
    }
    grids.retain(|grid| !grid.has_doubtful_diagonal());
    let mut why = None;
    let mut readings: Vec<ReadMatrix> = Vec::new();
    for grid in &grids {
        match grid.matrix(scale) {
            Ok(read) => readings.push(read),
            Err(error) => why = why.or(Some(error)),
        }
    }
    if readings.iter().any(|read| read.matrix.unreadable_cells == 0) {
        readings.retain(|read| read.matrix.unreadable_cells == 0);
    }
    readings.dedup_by(|a, b| a.matrix == b.matrix);
    match readings.pop() {
        Some(read) if readings.is_empty() => Ok(read),
        Some(_) => Err(ambiguous(lines)),
        None => Err(why.unwrap_or(NoMatrix::NotSquare {
            rows: lines.len(),
            columns: lines.iter().map(columns_of).max().unwrap_or(0),
        })),
    }
}

/// A list of lists (JSON, Python), with a line for each.
fn listed_rows(text: &str) -> std::borrow::Cow<'_, str> {
    let is_list =
        text.trim_start().strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with('['));
    if !is_list {
        return text.into();
    }
    let lines = text.split(']').map(|row| row.trim_start_matches([',', ' ', '\n', '\r', '[']));
    lines.map(|row| row.replace(['\n', '\r'], " ") + "\n").collect::<String>().into()
}
