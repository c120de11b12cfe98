//! Which pixels does an SVG picture have?
//!
//! [`png`] draws an SVG document as PNG. Text is drawn with two embedded fonts (regular and bold)
//! and no others. So a machine without fonts draws text, and every machine draws the same
//! characters. The fonts have Latin, Greek, arrows and signs; another character is drawn as a box.
//! `fonts/make.sh` made them, and `fonts/OFL.txt` is their licence.
//!
//! Nothing here reads a file.

mod fonts;
mod png;

pub use png::png;

/// The most pixels of a PNG: 160 MB while it is drawn.
pub const MAX_PIXELS: u32 = 40_000_000;

/// Why a document was not drawn.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RasterError {
    /// The parser's message.
    #[error("cannot draw this SVG: {0}")]
    Svg(String),
    /// Pixels across and down.
    #[error(
        "a PNG of {0:.0} x {1:.0} pixels has more than {max} million: choose a smaller scale, or \
         take the SVG",
        max = MAX_PIXELS / 1_000_000
    )]
    TooLarge(f64, f64),
    /// The encoder's message.
    #[error("cannot encode the PNG: {0}")]
    Encoder(String),
}
