//! What the colours of maps stand for: as much as differs, and never noise blown up to a whole
//! ramp; and axes that are alike.

use std::collections::BTreeMap;

use nearfar_view::draw::{ColourScale, Curves, HeatCell, HeatMap, MapScale};

use super::survey_pictures::{Shades, SurveyPicture};

/// The least ratio between the ends of a scale: differences of a few hundredths are a shade of one
/// colour.
const MIN_SPAN: f64 = 1.5;

/// Scales each map by its own figures.
pub(super) fn scale_each<'p>(pictures: impl Iterator<Item = &'p mut SurveyPicture>) {
    for picture in pictures {
        if let SurveyPicture::Map(map, shades) = picture {
            scale_alike(&mut [(map, shades)]);
        }
    }
}

/// Gives maps of one title the same colours for the same values, and curves of one title the same
/// axes: beside each other they are compared by eye.
pub fn same_scale<'p>(pictures: impl Iterator<Item = &'p mut SurveyPicture>) {
    let (mut maps, mut curves) = (Vec::new(), Vec::new());
    for picture in pictures {
        match picture {
            SurveyPicture::Map(map, shades) => maps.push((map, &*shades)),
            SurveyPicture::Curves(one) => curves.push(one),
            SurveyPicture::Other(_) => {}
        }
    }
    maps.sort_by(|a, b| a.0.heading.title.cmp(&b.0.heading.title));
    maps.chunk_by_mut(|a, b| a.0.heading.title == b.0.heading.title).for_each(scale_alike);
    curves.sort_by(|a, b| a.heading.title.cmp(&b.heading.title));
    curves.chunk_by_mut(|a, b| a.heading.title == b.heading.title).for_each(Curves::share_axes);
}

/// Gives maps one scale: shaded as the first one with steps, or else as the first.
fn scale_alike(maps: &mut [(&mut HeatMap, &Shades)]) {
    let has_steps = |shades: &&Shades| matches!(shades, Shades::Steps(_));
    let mut all = maps.iter().map(|(_, shades)| *shades);
    let Some(shades) = all.clone().find(has_steps).or_else(|| all.next()) else { return };
    let steps: &[f64] = if let Shades::Steps(steps) = shades { steps } else { &[] };
    let columns = (*shades == Shades::Columns).then(|| columns_of(maps)).flatten();
    let cells = || maps.iter().flat_map(|(map, _)| map.cells.iter().flatten().flatten());
    let figures = maps.iter().flat_map(|(map, _)| map.figures.iter().flatten().copied());
    let values = cells().flat_map(values_of).chain(figures);
    let whole = ends_of(values, maps.first().is_some_and(|(map, _)| map.more_is_better))
        .map_or(MapScale::Extremes, |ends| MapScale::Whole(ColourScale::with_steps(ends, steps)));
    for (map, _) in maps {
        map.scale = match &columns {
            Some((best, times)) => {
                let best = map.columns.iter().map(|name| best.get(name).copied());
                let best = best.map(|best| best.unwrap_or(f64::NAN)).collect();
                MapScale::Columns { best, times: *times }
            }
            None => whole.clone(),
        };
    }
}

/// The best value of each column, by name, and how far the others of a column fall short of it at
/// most.
fn columns_of(maps: &[(&mut HeatMap, &Shades)]) -> Option<(BTreeMap<String, f64>, f64)> {
    let more_is_better = maps.first()?.0.more_is_better;
    let mut by_name: BTreeMap<&String, Vec<&HeatCell>> = BTreeMap::new();
    for (map, _) in maps {
        for row in &map.cells {
            for (name, cell) in map.columns.iter().zip(row) {
                by_name.entry(name).or_default().extend(cell);
            }
        }
    }
    let ends = |(name, cells): (&String, Vec<&HeatCell>)| {
        let values = cells.into_iter().flat_map(values_of);
        let [low, high] = ends_of(values, more_is_better)?;
        Some((name.clone(), if more_is_better { high } else { low }, high / low))
    };
    let columns: Vec<(String, f64, f64)> = by_name.into_iter().filter_map(ends).collect();
    let times = columns.iter().map(|(_, _, times)| *times).reduce(f64::max)?;
    Some((columns.into_iter().map(|(name, best, _)| (name, best)).collect(), times))
}

/// Both typical values of a cell that has two.
fn values_of(cell: &HeatCell) -> [f64; 2] {
    match &cell.levels {
        Some(levels) => levels.each_ref().map(|level| level.value),
        None => [cell.value; 2],
    }
}

/// The ends of these figures, kept apart: the best figure keeps its end, for what is near to it is
/// as good.
fn ends_of(values: impl Iterator<Item = f64>, more_is_better: bool) -> Option<[f64; 2]> {
    let sound = values.filter(|value| value.is_finite() && *value > 0.0);
    let [low, high] = sound.fold(None, |ends: Option<[f64; 2]>, value| {
        Some(ends.map_or([value; 2], |[low, high]| [low.min(value), high.max(value)]))
    })?;
    Some(if more_is_better {
        [low.min(high / MIN_SPAN), high]
    } else {
        [low, high.max(low * MIN_SPAN)]
    })
}

#[cfg(test)]
mod tests {
    use nearfar_view::draw::{CurvePoint, Heading, Series};

    use super::*;

    fn ends(values: &[f64], more_is_better: bool) -> Option<[f64; 2]> {
        ends_of(cells(values).iter().flatten().flat_map(values_of), more_is_better)
    }

    fn cells(values: &[f64]) -> Vec<Option<HeatCell>> {
        values.iter().map(|&value| Some(HeatCell { value, ..HeatCell::default() })).collect()
    }

    fn curve(title: &str, points: &[[f64; 2]]) -> SurveyPicture {
        let points = points.iter().map(|&[x, y]| CurvePoint { x, y, interval: None }).collect();
        let series = vec![Series { points, ..Series::default() }];
        let heading = Heading::new(title, "");
        SurveyPicture::Curves(Curves { heading, series, ..Curves::default() })
    }

    #[test]
    fn curves_of_one_title_have_the_same_axes() {
        let mut pictures = [
            curve("a", &[[1.0, 5.0]]),
            curve("b", &[[9.0, 9.0]]),
            curve("a", &[[3.0, 2.0], [f64::NAN, 4.0]]),
            curve("a", &[]),
        ];
        same_scale(pictures.iter_mut());
        let axes = |one: &SurveyPicture| match one {
            SurveyPicture::Curves(one) => [one.across.reach, one.up.reach],
            _ => [None; 2],
        };
        assert_eq!(pictures.each_ref().map(axes)[0], [Some([1.0, 3.0]), Some([2.0, 5.0])]);
        assert_eq!(axes(&pictures[0]), axes(&pictures[2]));
        assert_eq!(axes(&pictures[0]), axes(&pictures[3]));
        assert_eq!(axes(&pictures[1]), [Some([9.0, 9.0]); 2]);
    }

    #[test]
    fn noise_is_no_ramp_and_real_differences_are() {
        assert_eq!(ends(&[100.0, 102.0], false), Some([100.0, 150.0]));
        assert_eq!(ends(&[100.0, 330.0, f64::NAN], false), Some([100.0, 330.0]));
        assert_eq!(ends(&[90.0, 93.0], true), Some([62.0, 93.0]));
        assert_eq!(ends(&[], true), None);
    }

    #[test]
    fn each_kernel_has_a_scale_of_its_own() {
        let map = HeatMap {
            columns: vec!["read".to_owned(), "copy".to_owned()],
            cells: vec![cells(&[20.0, 12.0]), cells(&[10.0, 9.0])],
            more_is_better: true,
            ..HeatMap::default()
        };
        let mut picture = SurveyPicture::Map(map, Shades::Columns);
        scale_each(std::iter::once(&mut picture));
        let SurveyPicture::Map(map, _) = picture else { panic!("{picture:?}") };
        assert_eq!(map.scale, MapScale::Columns { best: vec![20.0, 12.0], times: 2.0 });
    }
}
