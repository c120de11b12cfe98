//! Why there is no PNG.

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
