//! Pictures of whatever there is: no figure and no name breaks them, leaves them or is taken for
//! markup.

pub(crate) mod anything;
pub(crate) mod sound;
pub(crate) mod texts;

use nearfar_view::draw::{
    ColourScale, DotRow, Dots, Front, FrontPoint, HeatCell, HeatLevel, HeatMap, HeatNote, MapScale,
};
use proptest::prelude::*;

use crate::cases::cases;
use anything::{figure, flag, names, quantity, several, words};

/// Generated pictures of each kind.
pub(crate) const CASES: u32 = 16;

fn heat_cell() -> impl Strategy<Value = Option<HeatCell>> {
    let level = || (figure(), words()).prop_map(|(value, shown)| HeatLevel { value, shown });
    let levels = prop::option::of([level(), level()]);
    let note = (words(), flag()).prop_map(|(text, is_in_exact)| HeatNote { text, is_in_exact });
    let parts = (figure(), words(), levels, several(note, 2), words(), flag());
    prop::option::of(parts.prop_map(|(value, shown, levels, beneath, tooltip, marked)| HeatCell {
        value,
        exact: Some(shown.clone()),
        shown,
        levels,
        beneath,
        tooltip,
        marked,
    }))
}

fn map_scale() -> impl Strategy<Value = MapScale> {
    let whole = ([figure(), figure()], several(figure(), 9))
        .prop_map(|(ends, steps)| MapScale::Whole(ColourScale::with_steps(ends, &steps)));
    let columns = (several(figure(), 20), figure())
        .prop_map(|(best, times)| MapScale::Columns { best, times });
    let diverging = figure().prop_map(MapScale::Diverging);
    prop_oneof![Just(MapScale::Extremes), whole, columns, diverging]
}

fn heat_map() -> impl Strategy<Value = HeatMap> {
    let cells = several(several(heat_cell(), 20), 20);
    let axes = (anything::heading(), words(), words(), words());
    let rest = (map_scale(), flag(), words(), words());
    (axes, names(), names(), cells, rest).prop_map(
        |(axes, rows, columns, cells, (scale, more_is_better, beneath_note, mark_note))| {
            let (heading, unit, row_axis, column_axis) = axes;
            HeatMap {
                heading,
                unit,
                row_axis,
                column_axis,
                rows,
                columns,
                cells,
                scale,
                more_is_better,
                beneath_note,
                mark_note,
                figures: Vec::new(),
            }
        },
    )
}

fn dots() -> impl Strategy<Value = Dots> {
    let boxes = several([figure(), figure(), figure()], 3);
    let row = (words(), several(figure(), 400), boxes, words())
        .prop_map(|(name, values, boxes, note)| DotRow { name, values, boxes, note });
    (anything::heading(), quantity(), several(row, 6)).prop_map(|(heading, across, rows)| Dots {
        heading,
        across,
        rows,
    })
}

fn front() -> impl Strategy<Value = Front> {
    let interval = prop::option::of([figure(), figure()]);
    let point = (words(), figure(), figure(), interval, flag(), words()).prop_map(
        |(name, x, y, interval, on_front, note)| FrontPoint {
            name,
            x,
            y,
            interval,
            on_front,
            note,
        },
    );
    (anything::heading(), quantity(), quantity(), flag(), several(point, 60)).prop_map(
        |(heading, across, up, more_is_better, points)| Front {
            heading,
            across,
            up,
            more_is_better,
            points,
        },
    )
}

proptest! {
    #![proptest_config(cases(CASES))]

    #[test]
    fn heat_maps_are_sound(picture in heat_map()) {
        sound::check(&picture);
    }

    #[test]
    fn dots_are_sound(picture in dots()) {
        sound::check(&picture);
    }

    #[test]
    fn fronts_are_sound(picture in front()) {
        sound::check(&picture);
    }
}

/// Draws pictures with this share of the items of the largest ones.
fn check_large(share: f64) {
    let part = |items: u32| (f64::from(items) * share) as u32;
    let cell = |k: u32| {
        Some(HeatCell { value: f64::from(k), shown: k.to_string(), ..HeatCell::default() })
    };
    let name = |k: u32| format!("{k}{}", "x".repeat(2000));
    let map = HeatMap {
        rows: (0..part(3000)).map(name).collect(),
        columns: (0..100).map(name).collect(),
        cells: (0..part(3000)).map(|r| (0..100).map(|c| cell(r * c)).collect()).collect(),
        ..HeatMap::default()
    };
    let row = |k| DotRow {
        name: name(k),
        values: (0..1000).map(f64::from).collect(),
        ..DotRow::default()
    };
    let dots = Dots { rows: (0..part(2000)).map(row).collect(), ..Dots::default() };
    let point = |k: u32| FrontPoint {
        name: name(k),
        x: f64::from(k % 71),
        y: f64::from(k % 97),
        on_front: k % 2 == 0,
        ..FrontPoint::default()
    };
    let front = Front { points: (0..part(5000)).map(point).collect(), ..Front::default() };
    for size in [sound::check(&map), sound::check(&dots), sound::check(&front)] {
        assert!(size < 1024 * 1024, "{size}");
    }
}

#[test]
fn large_pictures_stay_small() {
    check_large(0.2);
}

#[test]
#[ignore = "long: five times as many items"]
fn the_largest_pictures_stay_small() {
    check_large(1.0);
}

#[test]
fn empty_pictures_are_sound() {
    sound::check(&HeatMap::default());
    sound::check(&HeatMap { cells: vec![Vec::new(); 3], ..HeatMap::default() });
    sound::check(&Dots::default());
    sound::check(&Dots { rows: vec![DotRow::default()], ..Dots::default() });
    sound::check(&Front::default());
}
