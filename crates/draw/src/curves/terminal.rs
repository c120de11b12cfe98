//! Curves in Braille: eight dots to a character.

use anstyle::{AnsiColor, Color, Style};

use super::place_marks::said;
use super::plane::{Plane, can_stand};
use super::{CurvePoint, Curves, POINTS, SERIES};
use crate::Screen;
use crate::block::Frame;
use crate::characters::{fitted, right};
use crate::ruler::column as index;
use crate::thinned::thinned;

/// Lines of characters.
const LINES: usize = 16;
/// Places with names that are told beneath.
const MARKS: usize = 20;
/// Characters of an axis's figures.
const FIGURES: usize = 9;
/// Fewer columns hold no curve.
const LEAST: usize = 32;

/// A series' colour; terminals choose shades that can be read on their paper.
const COLOURS: [AnsiColor; 6] =
    [AnsiColor::Cyan, AnsiColor::Yellow, AnsiColor::Green, AnsiColor::Magenta, AnsiColor::Blue, AnsiColor::Red];

/// A character's dots, and whose it is.
#[derive(Clone, Copy, Default)]
struct Cell {
    dots: u8,
    series: usize,
    letter: Option<char>,
}

/// The curves, their axes' figures and a key; none where the terminal shows no Braille or is narrow.
pub(crate) fn shown(curves: &Curves, screen: &Screen) -> Option<String> {
    if !screen.unicode || screen.columns < LEAST {
        return None;
    }
    let columns = screen.columns.min(200) - FIGURES - 2;
    #[allow(clippy::cast_precision_loss)]
    let frame = Frame { x: 0.0, y: 0.0, width: (columns * 2 - 1) as f64, height: (LINES * 4 - 1) as f64 };
    let plane = Plane::of(curves, frame, (columns / 12, 5));
    let cells = cells(curves, &plane, columns);
    let mut out = vec![fitted(&curves.up.label, screen.columns, screen)];
    for (k, line) in cells.chunks(columns).enumerate() {
        let here = plane.up.ticks.iter().find(|(y, _)| index(*y) / 4 == k).map_or("", |(_, words)| words);
        out.push(format!("{} ┤{}", right(here, FIGURES, screen), written(line, screen.colours)));
    }
    let above = out.join("\n");
    let axis = plane.across.in_characters(FIGURES + 2, columns, 2.0, screen);
    let key: String = key(curves, screen).into_iter().map(|line| line + "\n").collect();
    Some(format!("{above}\n{axis}{key}"))
}

fn cells(curves: &Curves, plane: &Plane<'_>, columns: usize) -> Vec<Cell> {
    let mut cells = vec![Cell::default(); columns * LINES];
    for (k, series) in curves.series.iter().enumerate() {
        let mut last: Option<CurvePoint> = None;
        for point in thinned(&series.points, POINTS) {
            let point = Some(*point).filter(|p| can_stand(curves, p));
            if let Some(point) = point {
                stroke(&mut cells, columns, k, plane.place_of(&last.unwrap_or(point)), plane.place_of(&point));
            }
            last = point;
        }
    }
    for (k, series) in curves.series.iter().enumerate().take(26) {
        let end = series.points.iter().rev().find(|p| can_stand(curves, p)).map(|p| plane.place_of(p));
        if let Some((x, y)) = end {
            let cell = &mut cells[index(y) / 4 * columns + index(x) / 2];
            if cell.letter.is_none() {
                *cell = Cell { letter: letter(k), series: k, ..*cell };
            }
        }
    }
    cells
}

impl Plane<'_> {
    fn place_of(&self, point: &CurvePoint) -> (f64, f64) {
        self.place(point.x, point.y)
    }
}

/// Dots from one place to another.
fn stroke(cells: &mut [Cell], columns: usize, series: usize, from: (f64, f64), to: (f64, f64)) {
    let steps = index((to.0 - from.0).abs().max((to.1 - from.1).abs())).max(1);
    for k in 0..=steps {
        #[allow(clippy::cast_precision_loss)]
        let share = k as f64 / steps as f64;
        let (x, y) = (index(from.0 + (to.0 - from.0) * share), index(from.1 + (to.1 - from.1) * share));
        let bit = [[0, 3], [1, 4], [2, 5], [6, 7]][y % 4][x % 2];
        if let Some(cell) = cells.get_mut(y / 4 * columns + x / 2) {
            *cell = Cell { dots: cell.dots | 1 << bit, series, letter: None };
        }
    }
}

fn letter(series: usize) -> Option<char> {
    u8::try_from(series).ok().filter(|k| *k < 26).map(|k| char::from(b'a' + k))
}

fn style(series: usize, colours: bool) -> Style {
    Style::new().fg_color(colours.then(|| Color::Ansi(COLOURS[series % COLOURS.len()])))
}

fn written(line: &[Cell], colours: bool) -> String {
    let mut out = String::new();
    for cell in line {
        let shape = cell.letter.or(char::from_u32(0x2800 + u32::from(cell.dots)).filter(|_| cell.dots > 0));
        match shape {
            Some(shape) => {
                let style = style(cell.series, colours);
                out.push_str(&format!("{style}{shape}{style:#}"));
            }
            None => out.push(' '),
        }
    }
    out.trim_end().to_owned()
}

fn key(curves: &Curves, screen: &Screen) -> Vec<String> {
    let named = |(k, series): (usize, &super::Series)| {
        let style = style(k, screen.colours);
        let letter = letter(k).map_or_else(|| "·".to_owned(), |c| c.to_string());
        format!(
            "{:FIGURES$}  {style}{letter}{style:#} {}",
            "",
            fitted(&series.name, screen.columns - FIGURES - 4, screen)
        )
    };
    let mut lines: Vec<String> = curves.series.iter().enumerate().take(SERIES).map(named).collect();
    if curves.series.len() > SERIES {
        lines.push(format!("{:FIGURES$}  and {} more", "", curves.series.len() - SERIES));
    }
    let room = screen.columns - FIGURES - 2;
    let marks = curves.marks.iter().take(MARKS).map(|mark| said(curves, mark));
    lines.extend(marks.map(|words| format!("{:FIGURES$}  {}", "", fitted(&words, room, screen))));
    if curves.marks.len() > MARKS {
        lines.push(format!("{:FIGURES$}  and {} more places", "", curves.marks.len() - MARKS));
    }
    lines
}
