//! From a cell's value to its colour.

use colorous::Color;

use super::colour_scale::ColourScale;
use super::{HeatMap, MapScale};
use crate::draw::axis::extremes;
use crate::draw::ramp::ramp;

/// How a map's values are shaded.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shading {
    /// One for all columns, or one for each.
    scales: Vec<ColourScale>,
    /// Where each column has a scale of its own: how many times its ends are apart.
    times: Option<f64>,
    more_is_better: bool,
}

impl Shading {
    /// That of the map; without scales where it holds no number.
    pub(super) fn from_map(map: &HeatMap) -> Self {
        let more_is_better = map.more_is_better;
        let own = || extremes(map.values()).map(ColourScale::even).into_iter().collect();
        let (scales, times) = match &map.scale {
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
        Self { scales, times, more_is_better }
    }

    /// The scale of all cells; none where each column has its own, or where there is no number.
    pub(super) fn whole(&self) -> Option<&ColourScale> {
        self.scales.first().filter(|_| self.times.is_none())
    }

    /// How far a value of a column is from good (0) to bad (1).
    pub(super) fn badness(&self, column: usize, value: f64) -> f64 {
        let scale = if self.times.is_some() { self.scales.get(column) } else { self.whole() };
        self.badness_at(scale.map_or(0.5, |scale| scale.place(value)))
    }

    /// How bad a place of the ramp is, from the lower end of the values to the upper one.
    pub(super) fn badness_at(&self, place: f64) -> f64 {
        if self.more_is_better { 1.0 - place } else { place }
    }

    /// The colour of a column's value.
    pub(super) fn colour(&self, column: usize, value: f64) -> Color {
        ramp(self.badness(column, value))
    }

    /// What the lower and the upper end are, where each column has a scale of its own.
    pub(super) fn relative_ends(&self) -> Option<[String; 2]> {
        let times = crate::draw::figure::figure(self.times?);
        Some(if self.more_is_better {
            [format!("{times} times less"), "most of its column".to_owned()]
        } else {
            ["least of its column".to_owned(), format!("{times} times more")]
        })
    }

    /// Which values are good.
    pub(super) fn direction(&self) -> &'static str {
        if self.more_is_better { "more is better" } else { "less is better" }
    }
}
