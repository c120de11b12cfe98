//! Every colour of both palettes can be seen on what it is drawn on (WCAG 2.1: 1.4.3 for text,
//! 1.4.11 for marks).

use nearfar_view::draw::{DARK, LIGHT};

/// Contrast that text needs, and that marks and lines need.
const TEXT: f64 = 4.5;
const MARK: f64 = 3.0;

#[test]
fn text_can_be_read() {
    for palette in [LIGHT, DARK] {
        for colour in [palette.ink, palette.quiet, palette.mark] {
            for ground in [palette.paper, palette.panel] {
                assert!(
                    contrast(colour, ground) >= TEXT,
                    "{colour} on {ground}: {}",
                    contrast(colour, ground)
                );
            }
        }
    }
}

#[test]
fn marks_can_be_seen() {
    for palette in [LIGHT, DARK] {
        for colour in palette.series.iter().chain([&palette.line]) {
            assert!(
                contrast(colour, palette.paper) >= MARK,
                "{colour}: {}",
                contrast(colour, palette.paper)
            );
        }
    }
}

#[test]
fn the_measure_is_that_of_the_standard() {
    assert!((contrast("#000000", "#ffffff") - 21.0).abs() < 1e-9);
    assert!((contrast("#767676", "#ffffff") - 4.54).abs() < 0.01);
}

fn contrast(a: &str, b: &str) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// Relative luminance of a colour written as `#rrggbb`.
fn luminance(colour: &str) -> f64 {
    let parts = [(1, 0.2126), (3, 0.7152), (5, 0.0722)];
    parts
        .map(|(at, weight)| {
            let share = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            let part =
                if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) };
            weight * part
        })
        .iter()
        .sum()
}
