//! One small picture of each kind, byte for byte.
//!
//! `SNAPSHOTS=overwrite cargo test -p nearfar-view --test draw golden` writes them: look at them.

mod dots;
mod front;
mod heat_map;

use nearfar_view::draw::{Picture, Screen, Theme, standalone};
use snapbox::{Data, assert_data_eq};

/// Compares a picture and its text with the files of that name.
fn same(name: &str, picture: &dyn Picture) {
    let golden = |end: &str| {
        Data::read_from(
            format!("{}/tests/golden/{name}.{end}", env!("CARGO_MANIFEST_DIR")).as_ref(),
            None,
        )
    };
    assert_data_eq!(Data::text(standalone(picture, Theme::Light)), golden("svg").raw());
    assert_data_eq!(
        Data::text(picture.in_terminal(&Screen::PLAIN).unwrap_or_default()),
        golden("txt").raw()
    );
}

#[test]
fn heat_map() {
    same("heat_map", &heat_map::small());
}

#[test]
fn dots() {
    same("dots", &dots::small());
}

#[test]
fn front() {
    same("front", &front::small());
}
