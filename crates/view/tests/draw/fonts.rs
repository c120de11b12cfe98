//! The widths by which pictures are laid out, against the fonts of `nearfar-view`.

use crate::strange::texts::label;

/// These fonts are as wide as Arial and Helvetica. A label has more characters that are narrower.
#[test]
fn assumed_widths_fit_the_embedded_fonts() {
    const TOLERANCE: f64 = 0.04;
    let fonts = [
        include_bytes!("../../fonts/sans-regular.ttf").as_slice(),
        include_bytes!("../../fonts/sans-bold.ttf"),
    ];
    for font in fonts {
        let face = ttf_parser::Face::parse(font, 0).unwrap();
        let scale = f64::from(face.units_per_em());
        let assumed = |c: char| label::width(&c.to_string()) / label::SIZE;
        let too_wide: Vec<(char, f64)> = (' '..='\u{2fff}')
            .filter_map(|c| Some((c, face.glyph_index(c)?)))
            .map(|(c, glyph)| (c, f64::from(face.glyph_hor_advance(glyph).unwrap()) / scale))
            .filter(|&(c, advance)| advance > assumed(c) + TOLERANCE)
            .collect();
        assert!(too_wide.is_empty(), "{too_wide:?}");
    }
}
