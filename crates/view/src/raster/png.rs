//! From SVG to PNG.

use std::io::Write;

use png::{ColorType, Encoder, EncodingError, FilterType};
use resvg::tiny_skia::{Pixmap, PremultipliedColorU8, Transform};
use resvg::usvg::{ImageHrefResolver, Options, Tree};

use crate::raster::fonts::{FAMILY, database};
use crate::raster::{MAX_PIXELS, RasterError};

/// The document as PNG, with `scale` pixels to a user unit.
pub fn png(svg: &str, scale: f64) -> Result<Vec<u8>, RasterError> {
    let tree = parse(svg)?;
    let units = tree.size();
    let [width, height] =
        [units.width(), units.height()].map(|side| (f64::from(side) * scale).ceil());
    let mut pixels = blank(width, height).ok_or(RasterError::TooLarge(width, height))?;
    // Stretched by less than a pixel, so that the paper fills the last row and column.
    let stretched = Transform::from_scale(
        pixels.width() as f32 / units.width(),
        pixels.height() as f32 / units.height(),
    );
    resvg::render(&tree, stretched, &mut pixels.as_mut());
    encode(&pixels).map_err(|error| RasterError::Encoder(error.to_string()))
}

fn parse(svg: &str) -> Result<Tree, RasterError> {
    // The default resolver reads the files that a document names.
    let no_images = ImageHrefResolver {
        resolve_data: Box::new(|_, _, _| None),
        resolve_string: Box::new(|_, _| None),
    };
    let options = Options {
        font_family: FAMILY.to_owned(),
        fontdb: database(),
        image_href_resolver: no_images,
        ..Options::default()
    };
    Tree::from_str(svg, &options).map_err(|error| RasterError::Svg(error.to_string()))
}

/// Pixels to draw on; none if they would be more than [`MAX_PIXELS`].
fn blank(width: f64, height: f64) -> Option<Pixmap> {
    let fits = width * height <= f64::from(MAX_PIXELS);
    fits.then(|| Pixmap::new(width.max(1.0) as u32, height.max(1.0) as u32)).flatten()
}

/// Without transparency, on white. Rows without a filter compress best: most repeat the row above.
fn encode(pixels: &Pixmap) -> Result<Vec<u8>, EncodingError> {
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, pixels.width(), pixels.height());
    encoder.set_color(ColorType::Rgb);
    encoder.set_filter(FilterType::NoFilter);
    let mut writer = encoder.write_header()?;
    let mut rows = writer.stream_writer()?;
    for row in pixels.pixels().chunks(pixels.width() as usize) {
        let on_white = |pixel: &PremultipliedColorU8| {
            [pixel.red(), pixel.green(), pixel.blue()].map(|part| part + (255 - pixel.alpha()))
        };
        rows.write_all(row.iter().flat_map(on_white).collect::<Vec<u8>>().as_slice())?;
    }
    rows.finish()?;
    writer.finish()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use resvg::tiny_skia::Rect;
    use resvg::usvg::{Group, Node, TextChunk};

    use super::*;

    /// Every text of a group, with the box of its glyphs.
    fn texts(group: &Group) -> Vec<(String, Rect)> {
        let node_texts = |node: &Node| match node {
            Node::Group(inner) => texts(inner),
            Node::Text(text) => {
                let characters = text.chunks().iter().map(TextChunk::text).collect();
                vec![(characters, text.abs_bounding_box())]
            }
            _ => Vec::new(),
        };
        group.children().iter().flat_map(node_texts).collect()
    }

    /// The golden pictures have text that assumes widths of characters.
    #[test]
    fn golden_text_fits_its_picture() {
        let crates = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
        let folders = ["view/tests/golden", "report/tests/golden/pictures"];
        let entries = folders.map(|folder| fs::read_dir(format!("{crates}/{folder}")).unwrap());
        let mut count = 0;
        for entry in entries.into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|end| end != "svg") {
                continue;
            }
            let tree = parse(&fs::read_to_string(&path).unwrap()).unwrap();
            let whole = tree.size().to_rect(0.0, 0.0).unwrap();
            let texts = texts(tree.root());
            for (at, (text, place)) in texts.iter().enumerate() {
                let inside = whole.intersect(place) == Some(*place);
                assert!(inside, "{}: {text:?} at {place:?} leaves the picture", path.display());
                for (other, its_place) in &texts[at + 1..] {
                    let apart = place.intersect(its_place).is_none();
                    assert!(apart, "{}: {text:?} covers {other:?}", path.display());
                }
            }
            count += texts.len();
        }
        assert!(count > 100, "{count} texts");
    }

    #[test]
    fn documents_read_no_files() {
        let image = concat!(
            "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><image href='",
            env!("CARGO_MANIFEST_DIR"),
            "/../../docs/gallery/epyc-7451-2p-latency.svg' width='9' height='9'/></svg>"
        );
        assert!(!parse(image).unwrap().root().has_children());
    }
}
