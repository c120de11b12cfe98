//! Colours as colour-blind readers see them: neighbouring steps stay apart, and text on cells can
//! be read.
//!
//! The matrices are those of Machado, Oliveira and Fernandes, "A Physiologically-based Model for
//! Simulation of Color Vision Deficiency" (IEEE Transactions on Visualization and Computer Graphics
//! 15, 2009), at severity 1, on linear RGB. Distances are CIE 1976 ΔE in L*a*b* (D65): 2.3 is just
//! noticeable.

use super::heat_map::paint::{ABOVE, BELOW, MOST_OPAQUE};
use super::link_costs;
use super::palette::{DARK, LIGHT, Palette};
use super::ramp::{ink_on, ramp};

type Matrix = [[f64; 3]; 3];

const EYES: [(&str, Matrix); 4] = [
    ("all colours", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    (
        "protanopia",
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
    ),
    (
        "deuteranopia",
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
    ),
    (
        "tritanopia",
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ],
    ),
];

/// From linear RGB to XYZ over its white (sRGB, D65).
const XYZ_OF_WHITE: Matrix = [
    [0.433_949, 0.376_210, 0.189_841],
    [0.212_673, 0.715_152, 0.072_175],
    [0.017_757, 0.109_463, 0.872_780],
];

/// Series that follow each other, and any two of the first four; further ones differ by their marks
/// and dashes alone.
const SERIES_APART: f64 = 15.0;
const FIRST_APART: f64 = 10.0;
/// The ten steps of a ramp, and the four of each side of a diverging scale.
const RAMP_APART: f64 = 5.0;
const DIVERGING_APART: f64 = 8.0;
const LINKS_APART: f64 = 15.0;
/// Both ends of a diverging scale.
const ENDS_APART: f64 = 40.0;

type Rgb = [f64; 3];

fn times(matrix: &Matrix, of: Rgb) -> Rgb {
    matrix.map(|row| (0..3).map(|at| row[at] * of[at]).sum())
}

/// A colour written as `#rrggbb`, 0 to 1.
fn rgb(css: &str) -> Rgb {
    [1, 3, 5].map(|at| f64::from(u8::from_str_radix(&css[at..at + 2], 16).unwrap()) / 255.0)
}

fn linear(of: Rgb) -> Rgb {
    of.map(|part| if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) })
}

fn lab(colour: Rgb, eye: &Matrix) -> [f64; 3] {
    let seen = times(eye, linear(colour)).map(|part| part.clamp(0.0, 1.0));
    let [x, y, z] = times(&XYZ_OF_WHITE, seen).map(|part| {
        if part > 216.0 / 24389.0 { part.cbrt() } else { (24389.0 / 27.0 * part + 16.0) / 116.0 }
    });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

fn apart(one: Rgb, other: Rgb, eye: &Matrix) -> f64 {
    let (one, other) = (lab(one, eye), lab(other, eye));
    (0..3).map(|at| (one[at] - other[at]).powi(2)).sum::<f64>().sqrt()
}

fn contrast(one: Rgb, other: Rgb) -> f64 {
    let light = |of: Rgb| times(&XYZ_OF_WHITE, linear(of))[1] + 0.05;
    light(one).max(light(other)) / light(one).min(light(other))
}

/// Neighbours of a row of colours are at least this far apart, for all eyes.
fn assert_apart(what: &str, colours: &[Rgb], least: f64) {
    for (name, eye) in &EYES {
        for (at, two) in colours.windows(2).enumerate() {
            let apart = apart(two[0], two[1], eye);
            assert!(apart >= least, "{what}, {name}: {at} and {}: {apart:.1}", at + 1);
        }
    }
}

/// The colour of a diverging scale, from -1 to 1, as a page of these colours shows it.
fn diverging(palette: &Palette, share: f64) -> Rgb {
    let (over, ground) = (palette.series[if share < 0.0 { BELOW } else { ABOVE }], palette.paper);
    let (over, ground, opacity) = (rgb(over), rgb(ground), share.abs() * MOST_OPAQUE);
    [0, 1, 2].map(|at| opacity * over[at] + (1.0 - opacity) * ground[at])
}

#[test]
fn series_differ_for_all_eyes() {
    for (theme, palette) in [("light", LIGHT), ("dark", DARK)] {
        let mut series = palette.series.map(rgb).to_vec();
        series.push(series[0]);
        assert_apart(theme, &series, SERIES_APART);
        for (one, other) in [(0, 2), (0, 3), (1, 3)] {
            assert_apart(theme, &[series[one], series[other]], FIRST_APART);
        }
        let links = link_costs::CLASSES.map(|class| rgb(palette.series[series_of(class)]));
        assert_apart(theme, &links, LINKS_APART);
        assert_apart(theme, &[links[0], links[2]], LINKS_APART);
    }
}

fn series_of(class: &str) -> usize {
    class[1..].parse().unwrap()
}

#[test]
fn steps_of_the_ramp_differ_for_all_eyes() {
    let steps = (0..=10).map(|step| rgb(&super::ramp::css(ramp(f64::from(step) / 10.0))));
    assert_apart("the ramp", &steps.collect::<Vec<_>>(), RAMP_APART);
}

#[test]
fn a_diverging_scale_has_two_sides_for_all_eyes() {
    for (theme, palette) in [("light", LIGHT), ("dark", DARK)] {
        let steps = (-4..=4).map(|step| diverging(&palette, f64::from(step) / 4.0));
        assert_apart(theme, &steps.collect::<Vec<_>>(), DIVERGING_APART);
        let ends = [-1.0, 1.0].map(|end| diverging(&palette, end));
        assert_apart(theme, &ends, ENDS_APART);
        assert_eq!(diverging(&palette, 0.0), rgb(palette.paper));
    }
}

#[test]
fn text_on_cells_can_be_read() {
    for step in 0..=200 {
        let share = f64::from(step) / 100.0 - 1.0;
        for palette in [LIGHT, DARK] {
            let contrast = contrast(rgb(palette.ink), diverging(&palette, share));
            assert!(contrast >= 4.5, "{share}: {contrast:.2}");
        }
        let colour = ramp(share.abs());
        let contrast = contrast(rgb(ink_on(colour)), rgb(&super::ramp::css(colour)));
        assert!(contrast >= 4.5, "the ramp, {share}: {contrast:.2}");
    }
}

#[test]
fn the_simulation_is_that_of_the_paper() {
    let red_and_green = [[1.0, 0.0, 0.0], [0.0, 0.5, 0.0]];
    let seen = |eye: usize| apart(red_and_green[0], red_and_green[1], &EYES[eye].1);
    assert!(seen(2) < 0.3 * seen(0), "{} and {}", seen(2), seen(0));
    assert!((apart([1.0; 3], [0.0; 3], &EYES[0].1) - 100.0).abs() < 0.1);
}
