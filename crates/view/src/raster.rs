//! Which pixels does an SVG picture have?
//!
//! [`png`] draws an SVG document as PNG. Text is drawn with two embedded fonts (regular and bold)
//! and no others. So a machine without fonts draws text, and every machine draws the same
//! characters. The fonts have Latin, Greek, arrows and signs; another character is drawn as a box.
//! `fonts/make.sh` made them, and `fonts/OFL.txt` is their licence.
//!
//! Nothing here reads a file.

mod error;
mod fonts;
mod png;

pub use error::{MAX_PIXELS, RasterError};
pub use png::png;
