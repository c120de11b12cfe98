//! What the colours of maps stand for: as much as differs, and never noise blown up to a whole
//! ramp; and axes that are alike.

use nearfar_draw::{Curves, HeatCell, HeatMap};

use super::Drawn;

/// The least ratio between the ends of a scale: differences of a few hundredths are a shade of one
/// colour.
const LEAST_SPAN: f64 = 1.5;

/// Each map by its own figures.
pub(super) fn each_its_own<'d>(drawn: impl Iterator<Item = &'d mut Drawn>) {
    for map in maps(drawn) {
        map.scale = of(map.cells.iter().flatten().flatten(), map.more_is_better);
    }
}

/// Gives maps of one title the same colours for the same values, and curves of one title the same
/// axes: beside each other they are compared by eye.
pub fn same_scale<'d>(drawn: impl Iterator<Item = &'d mut Drawn>) {
    let (mut maps, mut curves): (Vec<&mut HeatMap>, Vec<&mut Curves>) = (Vec::new(), Vec::new());
    for one in drawn {
        match one {
            Drawn::Map(map) => maps.push(map),
            Drawn::Curves(one) => curves.push(one),
            Drawn::Other(_) => {}
        }
    }
    maps.sort_by(|a, b| a.heading.title.cmp(&b.heading.title));
    for same in maps.chunk_by_mut(|a, b| a.heading.title == b.heading.title) {
        let scale = of(
            same.iter().flat_map(|map| map.cells.iter().flatten().flatten()),
            same[0].more_is_better,
        );
        same.iter_mut().for_each(|map| map.scale = scale);
    }
    curves.sort_by(|a, b| a.heading.title.cmp(&b.heading.title));
    curves.chunk_by_mut(|a, b| a.heading.title == b.heading.title).for_each(Curves::share_axes);
}

fn maps<'d>(drawn: impl Iterator<Item = &'d mut Drawn>) -> impl Iterator<Item = &'d mut HeatMap> {
    drawn.filter_map(|one| if let Drawn::Map(map) = one { Some(map) } else { None })
}

/// The ends of these figures, kept apart: the best figure keeps its end, for what is near to it is
/// as good.
fn of<'c>(cells: impl Iterator<Item = &'c HeatCell>, more_is_better: bool) -> Option<[f64; 2]> {
    let values = cells.map(|cell| cell.value).filter(|value| value.is_finite() && *value > 0.0);
    let [low, high] = values.fold(None, widened)?;
    Some(if more_is_better {
        [low.min(high / LEAST_SPAN), high]
    } else {
        [low, high.max(low * LEAST_SPAN)]
    })
}

fn widened(ends: Option<[f64; 2]>, value: f64) -> Option<[f64; 2]> {
    Some(ends.map_or([value, value], |[low, high]| [low.min(value), high.max(value)]))
}

#[cfg(test)]
mod tests {
    use nearfar_draw::{CurvePoint, Heading, Series};

    use super::*;

    fn scale(values: &[f64], more_is_better: bool) -> Option<[f64; 2]> {
        let cells: Vec<HeatCell> =
            values.iter().map(|&value| HeatCell { value, ..HeatCell::default() }).collect();
        of(cells.iter(), more_is_better)
    }

    fn curve(title: &str, points: &[[f64; 2]]) -> Drawn {
        let points = points.iter().map(|&[x, y]| CurvePoint { x, y, interval: None }).collect();
        let series = vec![Series { points, ..Series::default() }];
        Drawn::Curves(Curves { heading: Heading::new(title, ""), series, ..Curves::default() })
    }

    #[test]
    fn curves_of_one_title_have_the_same_axes() {
        let mut drawn = [
            curve("a", &[[1.0, 5.0]]),
            curve("b", &[[9.0, 9.0]]),
            curve("a", &[[3.0, 2.0], [f64::NAN, 4.0]]),
            curve("a", &[]),
        ];
        same_scale(drawn.iter_mut());
        let axes = |one: &Drawn| {
            if let Drawn::Curves(one) = one { [one.across.reach, one.up.reach] } else { [None; 2] }
        };
        assert_eq!(drawn.each_ref().map(axes)[0], [Some([1.0, 3.0]), Some([2.0, 5.0])]);
        assert_eq!(axes(&drawn[0]), axes(&drawn[2]));
        assert_eq!(axes(&drawn[0]), axes(&drawn[3]));
        assert_eq!(axes(&drawn[1]), [Some([9.0, 9.0]); 2]);
    }

    #[test]
    fn noise_is_no_ramp_and_real_differences_are() {
        assert_eq!(scale(&[100.0, 102.0], false), Some([100.0, 150.0]));
        assert_eq!(scale(&[100.0, 330.0, f64::NAN], false), Some([100.0, 330.0]));
        assert_eq!(scale(&[90.0, 93.0], true), Some([62.0, 93.0]));
        assert_eq!(scale(&[], true), None);
    }
}
