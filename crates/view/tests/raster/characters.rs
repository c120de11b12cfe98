//! Any character is drawn, or has a box.

use nearfar_view::raster::png;
use proptest::prelude::*;

use crate::cases::cases;
use crate::pixels::{dark, document, drawn};

fn text(words: &str) -> String {
    let escaped = words.replace('&', "&amp;").replace('<', "&lt;");
    document(200.0, 30.0, &format!("<text x='5' y='20'>{escaped}</text>"))
}

#[test]
fn signs_of_pictures_have_glyphs() {
    let missing = drawn(&text("\u{5185}"), 2.0);
    for sign in "×·–µμ±≥≤…é−—→°%<&>\"'".chars() {
        let pixels = drawn(&text(&sign.to_string()), 2.0);
        assert!(dark(&pixels) > 0, "{sign} vanished");
        assert!(pixels != missing, "{sign} is a box");
    }
}

#[test]
fn missing_glyphs_are_boxes() {
    let one = dark(&drawn(&text("a\u{5185}b"), 2.0));
    let without = dark(&drawn(&text("ab"), 2.0));
    assert!(one > without + 20, "{one} dark pixels, {without} without the character");
    for words in ["\u{5b58}", "\u{1f4be}", "\u{5d0}"] {
        assert!(drawn(&text(words), 2.0) == drawn(&text("\u{5185}"), 2.0), "{words:?}");
    }
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn any_text_is_drawn(
        words in "([ -~]|[\u{a0}-\u{2fff}]|[\u{5d0}-\u{6ff}]|[\u{4e00}-\u{9fff}]|\
                  [\u{1f300}-\u{1faff}]){0,24}"
    ) {
        prop_assert!(png(&text(&words), 1.0).is_ok(), "{:?}", words);
    }
}
