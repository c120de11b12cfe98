//! The plane in characters: a letter a point of the front, and a key.

use super::{Front, FrontPoint};
use crate::draw::Screen;
use crate::draw::axis::Axis;
use crate::draw::characters::{columns, fitted, right, shown};
use crate::draw::figure::precise;
use crate::draw::ruler::{Ruler, column};

/// Lines of the plane.
const LINES: usize = 20;
/// Points of the front that have a letter.
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
/// The widest tick at the left, characters.
const TICK: usize = 10;
/// The widest plane, characters.
const WIDEST: usize = 120;

/// Points as characters, line by line.
struct CharacterPlane {
    lines: Vec<Vec<char>>,
    across: Axis,
    up: Axis,
}

impl CharacterPlane {
    /// Where a point stands; none if the axes do not hold it.
    fn at(&mut self, point: &FrontPoint) -> Option<&mut char> {
        if !self.across.holds(point.x) || !self.up.holds(point.y) {
            return None;
        }
        let line = column(self.up.place(point.y)).min(LINES - 1);
        let cells = &mut self.lines[line];
        let last = cells.len().checked_sub(1)?;
        cells.get_mut(column(self.across.place(point.x)).min(last))
    }
}

/// The plane in lines, its axes, and what the letters mean.
pub(super) fn of(front: &Front, screen: &Screen) -> String {
    let width = screen.columns.clamp(24, 1000);
    let (across, up) = front.on_axes();
    let up = Ruler::over(up, &front.up, ((LINES - 1) as f64, 0.0), 5);
    let ticks = up.ticks.iter().map(|(_, words)| columns(words)).max().unwrap_or(0).min(TICK);
    let wide = (width - ticks - 2).min(WIDEST);
    let across = Ruler::over(across, &front.across, (0.0, (wide - 1) as f64), wide.div_ceil(14));
    let mut plane = CharacterPlane {
        lines: vec![vec![' '; wide]; LINES],
        across: across.axis.clone(),
        up: up.axis.clone(),
    };
    let (key, left_out) = set(&mut plane, front, screen);
    let mut text = fitted(&front.up.label, width, screen) + "\n";
    for (k, line) in plane.lines.iter().enumerate() {
        let tick =
            up.ticks.iter().find(|(place, _)| column(*place) == k).map_or("", |(_, words)| words);
        let bar = if screen.unicode { '│' } else { '|' };
        text += format!("{} {bar}{}", right(tick, ticks, screen), line.iter().collect::<String>())
            .trim_end();
        text.push('\n');
    }
    text += &across.in_characters(ticks + 2, wide, 1.0, screen);
    let side = if front.more_is_better { "lower right" } else { "lower left" };
    let corner = format!("{} ({side})", front.corner());
    let notes = front.notes(left_out, false);
    text.extend(
        key.iter().chain([&corner]).chain(&notes).map(|line| fitted(line, width, screen) + "\n"),
    );
    text
}

/// Puts the points on the plane, those of the front last; gives the key, and how many points the
/// axes do not hold.
fn set(plane: &mut CharacterPlane, front: &Front, screen: &Screen) -> (Vec<String>, usize) {
    let mut left_out = 0;
    for point in front.points.iter().filter(|point| !point.on_front) {
        match plane.at(point) {
            Some(place) => *place = if screen.unicode { '·' } else { '.' },
            None => left_out += 1,
        }
    }
    let mut letters = LETTERS.chars();
    let mut key = Vec::new();
    for point in front.points.iter().filter(|point| point.on_front) {
        let Some(place) = plane.at(point) else {
            left_out += 1;
            continue;
        };
        let letter = if place.is_ascii_alphabetic() { Some(*place) } else { letters.next() };
        *place = letter.unwrap_or('*');
        let name = shown(&point.called(), screen);
        key.extend(
            letter.map(|letter| {
                format!("{letter}  {name}: {}, {}", precise(point.x), precise(point.y))
            }),
        );
    }
    (key, left_out)
}
