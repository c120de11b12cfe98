//! Pairs that share a switch: what to look for before pairs of devices exchange data.

use crate::{DevicesDocument, Level};

use nearfar_view::text::paragraph;

/// Pairs of a level that are listed; the matrix has them all.
const MAX_PAIRS: usize = 16;

/// A line for one switch, and one for several.
pub(super) fn text(document: &DevicesDocument) -> String {
    let line = |(level, title): (Level, &str)| {
        let pairs = pairs(document, level);
        if pairs.is_empty() {
            return String::new();
        }
        let more = match pairs.len().saturating_sub(MAX_PAIRS) {
            0 => String::new(),
            more => format!(", and {more} more ('--matrix')"),
        };
        let shown = pairs.iter().take(MAX_PAIRS).map(|[a, b]| format!("{a}-{b}"));
        let shown = shown.collect::<Vec<_>>().join(", ");
        paragraph::of(&format!("{shown}{more}"), &format!("{title} ({level}): "), "  ")
    };
    let levels = [
        (Level::Pix, "Below one bridge or switch"),
        (Level::Pxb, "Below several bridges or switches"),
    ];
    levels.into_iter().map(line).collect()
}

/// The labels of the pairs with a level.
fn pairs(document: &DevicesDocument, wanted: Level) -> Vec<[&String; 2]> {
    let Some(matrix) = &document.matrix else { return Vec::new() };
    let mut pairs = Vec::new();
    for (row, levels) in matrix.levels.iter().enumerate() {
        for (column, level) in levels.iter().enumerate().skip(row + 1) {
            if *level == wanted {
                pairs.push([&matrix.labels[row], &matrix.labels[column]]);
            }
        }
    }
    pairs
}
