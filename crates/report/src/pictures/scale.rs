//! What the colours of maps stand for: as much as differs, and never noise blown up to a whole ramp.

use nearfar_draw::{HeatCell, HeatMap};

use super::Drawn;

/// The least ratio between the ends of a scale: differences of a few hundredths are a shade of one colour.
const LEAST_SPAN: f64 = 1.5;

/// Each map by its own figures.
pub(super) fn each_its_own<'d>(drawn: impl Iterator<Item = &'d mut Drawn>) {
    for map in maps(drawn) {
        map.scale = of(map.cells.iter().flatten().flatten(), map.more_is_better);
    }
}

/// Gives maps of one title the same colours for the same values: beside each other they are compared by eye.
pub fn same_scale<'d>(drawn: impl Iterator<Item = &'d mut Drawn>) {
    let mut maps: Vec<&mut HeatMap> = maps(drawn).collect();
    let titles: Vec<(String, bool)> = maps.iter().map(|map| (map.heading.title.clone(), map.more_is_better)).collect();
    for (title, more_is_better) in titles {
        let same = maps.iter().filter(|map| map.heading.title == title);
        let scale = of(same.flat_map(|map| map.cells.iter().flatten().flatten()), more_is_better);
        maps.iter_mut().filter(|map| map.heading.title == title).for_each(|map| map.scale = scale);
    }
}

fn maps<'d>(drawn: impl Iterator<Item = &'d mut Drawn>) -> impl Iterator<Item = &'d mut HeatMap> {
    drawn.filter_map(|one| if let Drawn::Map(map) = one { Some(map) } else { None })
}

/// The ends of these figures, kept apart: the best figure keeps its end, for what is near to it is as good.
fn of<'c>(cells: impl Iterator<Item = &'c HeatCell>, more_is_better: bool) -> Option<[f64; 2]> {
    let values = cells.map(|cell| cell.value).filter(|value| value.is_finite() && *value > 0.0);
    let [low, high] = values.fold(None, widened)?;
    Some(if more_is_better { [low.min(high / LEAST_SPAN), high] } else { [low, high.max(low * LEAST_SPAN)] })
}

fn widened(ends: Option<[f64; 2]>, value: f64) -> Option<[f64; 2]> {
    Some(ends.map_or([value, value], |[low, high]| [low.min(value), high.max(value)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale(values: &[f64], more_is_better: bool) -> Option<[f64; 2]> {
        let cells: Vec<HeatCell> = values.iter().map(|&value| HeatCell { value, ..HeatCell::default() }).collect();
        of(cells.iter(), more_is_better)
    }

    #[test]
    fn noise_is_no_ramp_and_real_differences_are() {
        assert_eq!(scale(&[100.0, 102.0], false), Some([100.0, 150.0]));
        assert_eq!(scale(&[100.0, 330.0, f64::NAN], false), Some([100.0, 330.0]));
        assert_eq!(scale(&[90.0, 93.0], true), Some([62.0, 93.0]));
        assert_eq!(scale(&[], true), None);
    }
}
