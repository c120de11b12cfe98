//! The lines of a text that may be rows of a matrix, in blocks.

use super::cell::{Cell, is_cpu_word, ns_in};

/// Longer than any row of the largest matrix, in bytes.
const MAX_ROW: usize = 1 << 20;

/// A line, without marks of the terminal or the letter that it was in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    pub(super) number: usize,
    pub(super) text: &'a str,
}

/// Rows without other words between them.
#[derive(Debug, Default)]
pub(super) struct Block<'a> {
    /// Rows without blank lines between them.
    pub(super) parts: Vec<Vec<Line<'a>>>,
}

/// The lines of a text.
pub(super) struct Blocks<'a> {
    pub(super) blocks: Vec<Block<'a>>,
    /// Lines of other words.
    pub(super) prose: Vec<Line<'a>>,
}

impl Blocks<'_> {
    /// Lines that hold something.
    pub(super) fn lines(&self) -> usize {
        let of_block = |block: &Block<'_>| block.parts.iter().map(Vec::len).sum::<usize>();
        self.prose.len() + self.blocks.iter().map(of_block).sum::<usize>()
    }
}

/// Whether most words of a line are figures: it may be a row that was cut within one.
pub(super) fn may_be_row(line: &str) -> bool {
    let (mut values, mut words) = (0, 0);
    // The first words are enough of a long line.
    for token in tokens(line).take(50) {
        words += 1;
        values += usize::from(Cell::parse(token).figure().is_some());
    }
    words > 3 && 3 * values > 2 * words
}

/// Finds blocks; none among more rows than that.
pub(super) fn blocks(text: &str, most_rows: usize) -> Option<Blocks<'_>> {
    // Lines end in LF, CR LF, or CR alone, as old spreadsheets write them.
    let end = if text.contains('\n') { '\n' } else { '\r' };
    let mut found = Blocks { blocks: Vec::new(), prose: Vec::new() };
    let mut block = Block::default();
    let (mut is_gap, mut rows) = (true, 0);
    let mut before: Option<&str> = None;
    for (index, line) in text.trim_start_matches('\u{feff}').split(end).enumerate() {
        let text = unquoted(line.trim_end_matches('\r'));
        if text.trim_matches([' ', '\r']).is_empty() {
            is_gap = true;
        } else if is_rule(text) {
        } else if is_row(text) || before.is_some_and(|before| is_alike(before, text)) {
            if is_gap {
                block.parts.push(Vec::new());
            }
            let part = block.parts.last_mut().expect("a gap begins a part");
            rows += 1;
            if rows > most_rows {
                return None;
            }
            part.push(Line { number: index + 1, text });
            (is_gap, before) = (false, Some(text));
        } else {
            found.prose.push(Line { number: index + 1, text });
            if !block.parts.is_empty() {
                found.blocks.push(std::mem::take(&mut block));
            }
            (is_gap, before) = (true, None);
        }
    }
    if !block.parts.is_empty() {
        found.blocks.push(block);
    }
    Some(found)
}

/// A line of a letter without the mark of an answer.
fn unquoted(line: &str) -> &str {
    let mut rest = line;
    while let Some(inner) = rest.trim_start_matches(' ').strip_prefix('>') {
        rest = inner.strip_prefix(' ').unwrap_or(inner);
    }
    rest
}

/// What a table is ruled with.
fn is_rule(line: &str) -> bool {
    line.chars().all(|c| "-:=+|_ \t─│┼├┤┬┴┌┐└┘═║".contains(c))
        && ["---", "==", "──", "═", ":-", "-:", "|-"].iter().any(|mark| line.contains(mark))
}

fn tokens(line: &str) -> impl Iterator<Item = &str> {
    line.split([' ', '\t', ',', ';', '|', '│', '"', '\'']).filter(|token| !token.is_empty())
}

/// Whether a line holds figures, words for nothing and labels only; words before a header of
/// labels are its corner.
fn is_row(line: &str) -> bool {
    if line.len() > MAX_ROW {
        return false;
    }
    let is_value = |cell: &Cell<'_>| !matches!(cell, Cell::Text(_)) || cell.label().is_some();
    let is_word = |token: &str| {
        Cell::parse(token).is_summary()
            || ns_in(token).is_some()
            || is_cpu_word(token)
            || token == "#"
    };
    let mut has_value = tokens(line).next().is_none();
    let are_cells = tokens(line).all(|token| {
        let is_value = is_value(&Cell::parse(token));
        has_value |= is_value;
        is_value || is_word(token)
    });
    (are_cells && has_value) || is_head_with_corner(line)
}

/// Words, then CPUs in ascending order.
fn is_head_with_corner(line: &str) -> bool {
    let cells: Vec<Cell<'_>> = tokens(line).take(4_200).map(Cell::parse).collect();
    let words = cells.iter().take_while(|cell| cell.label().is_none()).count();
    let labels: Vec<u32> = cells[words..].iter().map_while(Cell::label).collect();
    let rest = &cells[words + labels.len()..];
    (1..=3).contains(&words)
        && labels.len() > 1
        && (labels[0] <= 1 || labels.len() > 2)
        && labels.windows(2).all(|pair| pair[0] < pair[1])
        && rest.iter().all(Cell::is_summary)
}

/// A line of as many cells as the row before: without it all rows below would be other CPUs'.
fn is_alike(before: &str, line: &str) -> bool {
    [';', '\t', '|', ','].iter().any(|mark| {
        let marks = line.matches(*mark).count();
        marks > 1 && marks == before.matches(*mark).count()
    })
}
