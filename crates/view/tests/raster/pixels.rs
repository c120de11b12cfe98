//! What a PNG shows.

use nearfar_view::raster::{RasterError, png};
use resvg::tiny_skia::Pixmap;

/// A document of these elements on white.
pub(crate) fn document(width: f64, height: f64, body: &str) -> String {
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' class='n' width='{width}' height='{height}'>\
         <style>.n{{font:13px system-ui,'No Such Font',sans-serif}}.h{{font-weight:600}}\
         .w{{fill:#fff}}.s{{stroke:#b3261e;fill:none;stroke-width:2}}</style>\
         <rect class='w' width='{width}' height='{height}'/>{body}</svg>"
    )
}

/// The document, drawn and decoded.
pub(crate) fn drawn(svg: &str, scale: f64) -> Pixmap {
    Pixmap::decode_png(&png(svg, scale).unwrap()).unwrap()
}

/// How many pixels are darker than half grey.
pub(crate) fn dark(pixels: &Pixmap) -> usize {
    pixels.pixels().iter().filter(|pixel| pixel.green() < 128).count()
}

#[test]
fn scale_sets_the_size() {
    let svg = document(40.5, 20.0, "");
    for (scale, size) in [(1.0, (41, 20)), (2.0, (81, 40)), (0.5, (21, 10))] {
        let pixels = drawn(&svg, scale);
        assert_eq!((pixels.width(), pixels.height()), size, "scale {scale}");
    }
}

#[test]
fn classes_set_colours() {
    let pixels = drawn(&document(40.0, 40.0, "<path class='s' d='M0 20L40 20'/>"), 2.0);
    let colour = |x, y| {
        let pixel = pixels.pixel(x, y).unwrap();
        [pixel.red(), pixel.green(), pixel.blue(), pixel.alpha()]
    };
    assert_eq!(colour(40, 40), [0xb3, 0x26, 0x1e, 0xff]);
    assert_eq!(colour(40, 10), [0xff; 4]);
}

#[test]
fn paper_reaches_the_edges() {
    let svg = document(40.3, 20.7, "<rect fill='#14171a' width='40.3' height='20.7'/>");
    let pixels = drawn(&svg, 2.0);
    assert!(pixels.pixels().iter().all(|pixel| pixel.green() == 0x17), "another colour");
}

#[test]
fn text_is_drawn_in_two_weights() {
    let words = |class: &str| {
        let text = format!("<text {class} x='5' y='20'>node 0 · 126 MiB</text>");
        dark(&drawn(&document(150.0, 30.0, &text), 2.0))
    };
    let (regular, bold) = (words(""), words("class='h'"));
    assert!(regular > 600, "{regular} dark pixels");
    assert!(bold > regular * 5 / 4, "{bold} dark pixels in bold, {regular} in regular");
}

#[test]
fn the_same_document_gives_the_same_bytes() {
    let svg = document(90.0, 30.0, "<text x='5' y='20'>84.3 ± 2 ns</text>");
    assert_eq!(png(&svg, 2.0), png(&svg, 2.0));
}

#[test]
fn huge_pictures_are_refused() {
    let error = png(&document(1000.0, 200_000.0, ""), 2.0).unwrap_err();
    assert_eq!(error, RasterError::TooLarge(2000.0, 400_000.0));
    assert_eq!(
        error.to_string(),
        "a PNG of 2000 x 400000 pixels has more than 40 million: choose a smaller scale, or take \
         the SVG"
    );
}

#[test]
fn other_text_is_refused() {
    for text in ["", "hello", "<svg", "<svg xmlns='http://www.w3.org/2000/svg' width='0'/>"] {
        assert!(matches!(png(text, 2.0), Err(RasterError::Svg(_))), "{text:?}");
    }
}
