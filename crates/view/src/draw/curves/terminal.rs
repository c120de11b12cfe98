//! Curves in Braille: eight dots to a character.

use anstyle::{AnsiColor, Color, Style};

use super::Plane;
use super::{CurvePoint, Curves, POINTS, SERIES, Series};
use crate::draw::Screen;
use crate::draw::block::Frame;
use crate::draw::characters::{fitted, right};
use crate::draw::ruler::column as index;
use crate::draw::thinned::thinned;

const LINES: usize = 16;
/// Places whose names are listed beneath.
const MARKS: usize = 20;
/// Characters of an axis's figures.
const FIGURES: usize = 9;
/// Fewer columns hold no curve.
const LEAST: usize = 32;

/// A series' colour; terminals choose shades that can be read on their paper.
const COLOURS: [AnsiColor; 6] = [
    AnsiColor::Cyan,
    AnsiColor::Yellow,
    AnsiColor::Green,
    AnsiColor::Magenta,
    AnsiColor::Blue,
    AnsiColor::Red,
];

/// What stands at a series' end, and in the key.
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz";

/// A character's dots, and whose it is.
#[derive(Clone, Copy, Default)]
struct DotCell {
    dots: u8,
    series: usize,
    letter: Option<char>,
}

/// The curves, their axes' figures and a key; none where the terminal shows no Braille or is
/// narrow.
pub(crate) fn shown(curves: &Curves, screen: &Screen) -> Option<String> {
    if !screen.unicode || screen.columns < LEAST {
        return None;
    }
    let columns = screen.columns.min(200) - FIGURES - 2;
    let frame =
        Frame { x: 0.0, y: 0.0, width: (columns * 2 - 1) as f64, height: (LINES * 4 - 1) as f64 };
    let plane = Plane::new(curves, frame, (columns / 12, 5));
    let cells = cells(curves, &plane, columns);
    let mut out = vec![fitted(&curves.up.label, screen.columns, screen)];
    for (k, line) in cells.chunks(columns).enumerate() {
        let here =
            plane.up.ticks.iter().find(|(y, _)| index(*y) / 4 == k).map_or("", |(_, words)| words);
        out.push(format!("{} ┤{}", right(here, FIGURES, screen), written(line, screen.colours)));
    }
    let above = out.join("\n");
    let axis = plane.across.in_characters(FIGURES + 2, columns, 2.0, screen);
    let key: String =
        key(curves, screen).into_iter().map(|line| format!("{:FIGURES$}  {line}\n", "")).collect();
    Some(format!("{above}\n{axis}{key}"))
}

fn cells(curves: &Curves, plane: &Plane<'_>, columns: usize) -> Vec<DotCell> {
    let mut cells = vec![DotCell::default(); columns * LINES];
    for (k, series) in curves.series.iter().enumerate() {
        let mut last: Option<CurvePoint> = None;
        for point in thinned(&series.points, POINTS) {
            let point = Some(*point).filter(|p| curves.can_hold(p));
            if let Some(point) = point {
                stroke(
                    &mut cells,
                    columns,
                    k,
                    plane.place(&last.unwrap_or(point)),
                    plane.place(&point),
                );
            }
            last = point;
        }
    }
    for ((k, series), letter) in curves.series.iter().enumerate().zip(LETTERS.chars()) {
        let Some(end) = series.points.iter().rev().find(|p| curves.can_hold(p)) else { continue };
        let (x, y) = plane.place(end);
        let cell = &mut cells[index(y) / 4 * columns + index(x) / 2];
        if cell.letter.is_none() {
            *cell = DotCell { letter: Some(letter), series: k, ..*cell };
        }
    }
    cells
}

/// Dots from one place to another.
fn stroke(cells: &mut [DotCell], columns: usize, series: usize, from: (f64, f64), to: (f64, f64)) {
    let steps = index((to.0 - from.0).abs().max((to.1 - from.1).abs())).max(1);
    for k in 0..=steps {
        let share = k as f64 / steps as f64;
        let (x, y) =
            (index(from.0 + (to.0 - from.0) * share), index(from.1 + (to.1 - from.1) * share));
        let bit = [[0, 3], [1, 4], [2, 5], [6, 7]][y % 4][x % 2];
        if let Some(cell) = cells.get_mut(y / 4 * columns + x / 2) {
            *cell = DotCell { dots: cell.dots | 1 << bit, series, letter: None };
        }
    }
}

fn style(series: usize, colours: bool) -> Style {
    Style::new().fg_color(colours.then(|| Color::Ansi(COLOURS[series % COLOURS.len()])))
}

fn written(line: &[DotCell], colours: bool) -> String {
    let shown = |cell: &DotCell| {
        let dots = char::from_u32(0x2800 + u32::from(cell.dots)).filter(|_| cell.dots > 0);
        let style = style(cell.series, colours);
        cell.letter
            .or(dots)
            .map_or_else(|| " ".to_owned(), |shape| format!("{style}{shape}{style:#}"))
    };
    line.iter().map(shown).collect::<String>().trim_end().to_owned()
}

fn key(curves: &Curves, screen: &Screen) -> Vec<String> {
    let room = screen.columns - FIGURES - 2;
    let named = |(k, series): (usize, &Series)| {
        let style = style(k, screen.colours);
        format!(
            "{style}{}{style:#} {}",
            LETTERS.chars().nth(k).unwrap_or('·'),
            fitted(&series.name, room - 2, screen)
        )
    };
    let mut lines: Vec<String> = curves.series.iter().enumerate().take(SERIES).map(named).collect();
    if curves.series.len() > SERIES {
        lines.push(format!("and {} more", curves.series.len() - SERIES));
    }
    let marks = curves.marks.iter().take(MARKS);
    lines.extend(marks.map(|mark| fitted(&curves.mark_text(mark), room, screen)));
    if curves.marks.len() > MARKS {
        lines.push(format!("and {} more places", curves.marks.len() - MARKS));
    }
    lines
}
