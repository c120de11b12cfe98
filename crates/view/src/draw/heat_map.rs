//! A matrix of figures as coloured cells with their values in them; large ones as tiles.

mod colour_scale;
mod drawing;
mod grid;
mod in_lines;
mod legend;
mod names;
pub(crate) mod paint;
mod terminal;
#[cfg(test)]
mod tests;

use crate::draw::axis::extremes;
use crate::draw::{Drawing, FigureTable, Heading, Picture, Screen, figure};
use grid::HeatGrid;
use paint::Paint;

pub use colour_scale::ColourScale;

/// Rows, and columns, that are drawn one by one; more become tiles.
const MOST: usize = 64;

/// A matrix as a picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeatMap {
    /// Title and description.
    pub heading: Heading,
    /// The unit of all values, as it stands after them: "ns", "GB/s".
    pub unit: String,
    /// What the rows are: "CPUs".
    pub row_axis: String,
    /// What the columns are: "memory of node".
    pub column_axis: String,
    /// The rows' names, top to bottom.
    pub rows: Vec<String>,
    /// The columns' names, left to right.
    pub columns: Vec<String>,
    /// Row by row; none where nothing was measured.
    pub cells: Vec<Vec<Option<HeatCell>>>,
    /// The same as values alone, where there are too many cells to be read one by one: then there
    /// are no `cells`. Not a number where nothing was measured.
    pub figures: Vec<Vec<f64>>,
    /// Which values have which colours.
    pub scale: MapScale,
    /// Whether more is better (bandwidth): then the largest values are the lightest.
    pub more_is_better: bool,
    /// What the second lines of cells are, shown where they are: "half of the 95 % interval".
    pub beneath_note: String,
    /// What marked cells have in common, shown where one is: "the claim does not hold".
    pub mark_note: String,
}

/// Which values of a map have which colours.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum MapScale {
    /// From the map's least value to its greatest.
    #[default]
    Extremes,
    /// One scale for all cells.
    Whole(ColourScale),
    /// Deviations from zero, which has the page's ground: from this far below to this far above.
    Diverging(f64),
    /// Columns are of different things and not compared with each other.
    Columns {
        /// The best value of each column, which has the lightest colour.
        best: Vec<f64>,
        /// Values that are this many times worse have the darkest.
        times: f64,
    },
}

/// One cell of a map.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeatCell {
    /// What gives the colour; not a number where there is none.
    pub value: f64,
    /// The value as it is written in the cell, without its unit; or why there is none, in a word.
    pub shown: String,
    /// Two typical values instead of one: drawn as two halves.
    pub levels: Option<[HeatLevel; 2]>,
    /// A smaller second line in the cell, where cells are large enough: half of an interval, what
    /// firmware claims, the change from before.
    pub beneath: Vec<HeatNote>,
    /// The tooltip after the names of row and column: "97.3 ns, 95 % interval 96.9 to 97.8".
    pub tooltip: String,
    /// The value with how well it is known, for the table: "97.3 ±0.5"; none writes what the cell
    /// shows.
    pub exact: Option<String>,
    /// Framed, for the reason that the map's `mark_note` gives.
    pub marked: bool,
}

/// A part of a cell's second line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeatNote {
    /// "±0.5", "1.0×".
    pub text: String,
    /// Whether the cell's `exact` has it, too: then the table does not repeat it.
    pub is_in_exact: bool,
}

/// One of two typical values of a cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeatLevel {
    /// What gives the colour.
    pub value: f64,
    /// The value as it is written, without its unit.
    pub shown: String,
}

impl HeatCell {
    /// The figure in one line: "97.3", of two levels "22.5/43.0".
    fn in_a_line(&self) -> std::borrow::Cow<'_, str> {
        match &self.levels {
            None => self.shown.as_str().into(),
            Some([first, second]) => format!("{}/{}", first.shown, second.shown).into(),
        }
    }

    /// Second lines, the longest first: all notes, those that the table has once, the last alone.
    fn second_lines(&self) -> impl Iterator<Item = String> {
        let all = joined(self.beneath.iter());
        let few = joined(self.beneath.iter().filter(|note| !note.is_in_exact));
        let last = joined(self.beneath.last().into_iter());
        [all, few, last].into_iter().filter(|line| !line.is_empty())
    }
}

fn joined<'n>(notes: impl Iterator<Item = &'n HeatNote>) -> String {
    notes.map(|note| note.text.as_str()).collect::<Vec<_>>().join("; ")
}

impl HeatMap {
    /// The values of all cells.
    fn values(&self) -> impl Iterator<Item = f64> {
        let cells = self.cells.iter().flatten().flatten();
        cells.map(|cell| cell.value).chain(self.figures.iter().flatten().copied())
    }

    /// The cell at a row and column.
    fn cell(&self, row: usize, column: usize) -> Option<HeatCell> {
        if let Some(cells) = self.cells.get(row) {
            return cells.get(column)?.clone();
        }
        let value = *self.figures.get(row)?.get(column)?;
        let cell = HeatCell {
            value,
            shown: figure::figure(value),
            tooltip: figure::with_unit(value, &self.unit),
            ..HeatCell::default()
        };
        value.is_finite().then_some(cell)
    }
}

/// The cell, if its value is a number.
fn finite(cell: Option<&HeatCell>) -> Option<&HeatCell> {
    cell.filter(|cell| cell.value.is_finite())
}

impl Picture for HeatMap {
    fn heading(&self) -> &Heading {
        &self.heading
    }

    fn heading_mut(&mut self) -> &mut Heading {
        &mut self.heading
    }

    fn drawing(&self) -> Drawing {
        drawing::of(self)
    }

    fn table(&self) -> FigureTable {
        let grid = HeatGrid::new(self, (MOST, MOST));
        let columns = [self.row_axis.clone()].into_iter().chain(grid.columns).collect();
        let row = |(name, cells): (String, &Vec<_>)| {
            [name].into_iter().chain(cells.iter().map(in_table)).collect()
        };
        FigureTable { columns, rows: grid.rows.into_iter().zip(&grid.cells).map(row).collect() }
    }

    fn in_lines(&self) -> Vec<String> {
        in_lines::of(self)
    }

    fn in_terminal(&self, screen: &Screen) -> Option<String> {
        Some(terminal::of(self, screen))
    }
}

fn in_table(cell: &Option<HeatCell>) -> String {
    let Some(cell) = cell else { return "–".to_owned() };
    let shown = cell.exact.as_ref().unwrap_or(&cell.shown);
    let beneath = joined(cell.beneath.iter().filter(|note| !note.is_in_exact));
    let beneath = if beneath.is_empty() { beneath } else { format!(" ({beneath})") };
    format!("{shown}{beneath}{}", if cell.marked { " *" } else { "" })
}

/// How a map's values are shaded.
#[derive(Clone, Debug, PartialEq)]
struct Shading {
    /// One for all columns, or one for each.
    scales: Vec<ColourScale>,
    /// Where each column has a scale of its own: how many times its ends are apart.
    times: Option<f64>,
    /// Whether zero is in the middle.
    is_diverging: bool,
    more_is_better: bool,
}

impl Shading {
    /// That of the map; without scales where it holds no number.
    fn from_map(map: &HeatMap) -> Self {
        let more_is_better = map.more_is_better;
        let own = || extremes(map.values()).map(ColourScale::even).into_iter().collect();
        let is_diverging =
            matches!(map.scale, MapScale::Diverging(end) if end.is_finite() && end > 0.0);
        let (scales, times) = match &map.scale {
            MapScale::Diverging(end) if is_diverging => {
                (vec![ColourScale::even([-end, *end])], None)
            }
            MapScale::Whole(scale) if scale.ends().iter().all(|end| end.is_finite()) => {
                (vec![scale.clone()], None)
            }
            MapScale::Columns { best, times } if times.is_finite() && *times > 1.0 => {
                let ends = |best: &f64| {
                    if more_is_better { [best / times, *best] } else { [*best, best * times] }
                };
                (best.iter().map(|best| ColourScale::even(ends(best))).collect(), Some(*times))
            }
            _ => (own(), None),
        };
        Self { scales, times, is_diverging, more_is_better }
    }

    /// The scale of all cells; none where each column has its own, or where there is no number.
    fn whole(&self) -> Option<&ColourScale> {
        self.scales.first().filter(|_| self.times.is_none())
    }

    /// How far a value of a column is from good (0) to bad (1).
    fn badness(&self, column: usize, value: f64) -> f64 {
        let scale = if self.times.is_some() { self.scales.get(column) } else { self.whole() };
        self.badness_at(scale.map_or(0.5, |scale| scale.place(value)))
    }

    /// How bad a place of the ramp is, from the lower end of the values to the upper one.
    fn badness_at(&self, place: f64) -> f64 {
        if self.more_is_better { 1.0 - place } else { place }
    }

    /// What a column's value is painted with.
    fn paint(&self, column: usize, value: f64) -> Paint {
        self.paint_of(self.badness(column, value))
    }

    fn paint_of(&self, badness: f64) -> Paint {
        if self.is_diverging { Paint::diverging(badness) } else { Paint::on_ramp(badness) }
    }

    /// How dark a place is where there are no colours, 0 to 1.
    fn darkness(&self, badness: f64) -> f64 {
        if self.is_diverging { (2.0 * badness - 1.0).abs() } else { badness }
    }

    /// What the lower and the upper end are, where each column has a scale of its own.
    fn relative_ends(&self) -> Option<[String; 2]> {
        let times = crate::draw::figure::figure(self.times?);
        Some(if self.more_is_better {
            [format!("{times} times less"), "most of its column".to_owned()]
        } else {
            ["least of its column".to_owned(), format!("{times} times more")]
        })
    }

    /// Which values are good.
    fn direction(&self) -> &'static str {
        if self.more_is_better { "more is better" } else { "less is better" }
    }
}
