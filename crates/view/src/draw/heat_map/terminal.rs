//! A map in characters: coloured blocks with their values, blocks alone where values do not fit,
//! tiles where blocks do not.

use anstyle::Style;

use super::Shading;
use super::grid::HeatGrid;
use super::paint::Paint;
use super::{ColourScale, HeatCell, HeatMap, MOST, finite, in_lines};
use crate::draw::Screen;
use crate::draw::characters::{columns, fitted, left, right, widest, wrapped};
use crate::draw::figure::{figure, with_unit};

/// The widest value and the widest name, characters.
const VALUE: usize = 12;
const NAME: usize = 24;
/// The widest name of a column that makes columns wider, characters.
const SHORT_NAME: usize = 8;
/// Characters of a block without a value.
const BLOCK: usize = 2;
/// Shades from good to bad.
const SHADES: [char; 5] = [' ', '░', '▒', '▓', '█'];
const ASCII_SHADES: [char; 5] = [' ', '.', ':', '+', '#'];

/// The map in lines.
pub(super) fn of(map: &HeatMap, screen: &Screen) -> String {
    let width = screen.columns.clamp(24, 1000);
    let in_lines = in_lines::of(map);
    if !in_lines.is_empty() {
        return in_lines.iter().flat_map(|line| wrapped(line, width, screen)).collect();
    }
    let mut grid = HeatGrid::new(map, (MOST, MOST));
    if grid.is_empty() {
        return fitted("There is nothing to show.", width, screen) + "\n";
    }
    let names = widest(&grid.rows, screen).min(NAME).min(width / 3);
    let room = width - names - 1;
    let named = widest(&grid.columns, screen).min(SHORT_NAME);
    let figures = grid.figures().map(|cell| cell.in_a_line().into_owned());
    let figures: Vec<String> = figures.chain(grid.words().map(str::to_owned)).collect();
    let value = widest(&figures, screen).clamp(2, VALUE).max(named.saturating_sub(1));
    let with_values = (value + 2) * grid.columns.len() <= room;
    let cell = if with_values { value + 2 } else { BLOCK };
    if cell * grid.columns.len() > room {
        grid = HeatGrid::new(map, (MOST, room / BLOCK));
    }
    let names = widest(&grid.rows, screen).min(NAME).min(width / 3);
    let shading = Shading::from_map(map);
    let mut lines =
        vec![fitted(&format!("{}{}", " ".repeat(names + 1), map.column_axis), width, screen)];
    lines.push(header(&grid, (names, cell), screen));
    for (name, cells) in grid.rows.iter().zip(&grid.cells) {
        let blocks: String = cells
            .iter()
            .enumerate()
            .map(|(column, shown)| {
                block(shown.as_ref(), (&shading, column), (cell, with_values), screen)
            })
            .collect();
        lines.push(format!("{} {blocks}", right(name, names, screen)));
    }
    lines.extend(ends(&shading, map, &grid, (width, with_values), screen));
    lines.extend(grid.tile_note().map(|note| fitted(&note, width, screen)));
    lines
        .iter()
        .filter(|line| !line.trim().is_empty())
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

/// As many names of columns as there is room for.
fn header(grid: &HeatGrid, (names, cell): (usize, usize), screen: &Screen) -> String {
    let every = (widest(&grid.columns, screen).min(VALUE) + 1).div_ceil(cell);
    let mut line = " ".repeat(names + 1);
    for (first, named) in (0..).step_by(every).zip(grid.columns.chunks(every)) {
        let room = named.len() * cell;
        line += &left(
            &format!(" {}", fitted(&grid.columns[first], room.saturating_sub(1), screen)),
            room,
            screen,
        );
    }
    line
}

fn block(
    cell: Option<&HeatCell>,
    (shading, column): (&Shading, usize),
    (room, with_value): (usize, bool),
    screen: &Screen,
) -> String {
    let Some(cell) = finite(cell) else {
        let word = cell.map_or("", |cell| cell.shown.as_str());
        let word = match word {
            "" => "–",
            word if with_value && columns(word) < room => word,
            _ => "?",
        };
        return right(&format!("{word} "), room, screen);
    };
    let badness = shading.badness(column, cell.value);
    let shade = if screen.colours { ' ' } else { shade(shading.darkness(badness), screen) };
    let words = match (with_value, cell.marked) {
        (true, marked) => {
            let mark = if marked { '*' } else { ' ' };
            format!("{}{mark}", right(&cell.in_a_line(), room - 2, screen))
        }
        (false, true) => "*".to_owned(),
        (false, false) => shade.to_string(),
    };
    coloured(&format!("{shade}{words}"), shading.paint_of(badness), screen)
}

fn shade(darkness: f64, screen: &Screen) -> char {
    let step = (darkness * 4.0).round() as usize;
    let shades = if screen.unicode { SHADES } else { ASCII_SHADES };
    shades[step.min(4)]
}

fn coloured(words: &str, paint: Paint, screen: &Screen) -> String {
    if !screen.colours {
        return words.to_owned();
    }
    let [ground, ink] = paint.in_terminal();
    let style = Style::new().fg_color(Some(ink.into())).bg_color(Some(ground.into()));
    format!("{style}{words}{style:#}")
}

/// The ends of the scale with the shades between them, and what else the cells mean; in one line
/// if it fits.
fn ends(
    shading: &Shading,
    map: &HeatMap,
    grid: &HeatGrid,
    (width, with_values): (usize, bool),
    screen: &Screen,
) -> Vec<String> {
    let whole = || shading.whole().map(ColourScale::ends);
    let named = whole().map(|[low, high]| [figure(low), with_unit(high, &map.unit)]);
    let Some([low, high]) = shading.relative_ends().or(named) else { return Vec::new() };
    let shades: String = (0..5)
        .map(|k| {
            let badness = shading.badness_at(f64::from(k) / 4.0);
            let words = if screen.colours {
                "  ".to_owned()
            } else {
                shade(shading.darkness(badness), screen).to_string().repeat(2)
            };
            coloured(&words, shading.paint_of(badness), screen)
        })
        .collect();
    let low = fitted(&low, NAME.min(width.saturating_sub(2 * 5 + 4) / 2), screen);
    let room = width.saturating_sub(columns(&low) + 2 * 5 + 4).min(NAME);
    let high = fitted(&high, room, screen);
    let mut taken = columns(&low) + 2 * 5 + 4 + columns(&high);
    let mut parts = vec![format!("{low} [{shades}] {high}"), shading.direction().to_owned()];
    let has_levels = with_values && grid.figures().any(|cell| cell.levels.is_some());
    parts.extend(has_levels.then(|| "a/b: two typical values".to_owned()));
    let note = match map.mark_note.as_str() {
        "" => "marked",
        note => note,
    };
    let is_marked = grid.figures().any(|cell| cell.marked);
    parts.extend(is_marked.then(|| fitted(&format!("* {note}"), width, screen)));
    taken += parts[1..].iter().map(|part| columns(part) + 2).sum::<usize>();
    if taken <= width { vec![parts.join("; ")] } else { parts }
}
