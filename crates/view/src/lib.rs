//! What people hand in, and what they see.
//!
//! - [`input`]: files that a user or another machine names, opened and read with limits.
//! - [`owned_files`]: outputs, notes, locks and programs, by who can change them.
//! - [`terminal`]: lines on both outputs, aligned columns, widths, Ctrl-C, exit statuses.
//! - [`text`]: paragraphs, tables, counts, shares, CSV.
//! - [`draw`]: pictures of numbers as SVG, as a table and on a terminal.
//!   `raster`, with the feature `png`: SVG as PNG, with embedded fonts.
//!
//! Nothing here knows a machine.

pub mod draw;
pub mod input;
pub mod owned_files;
#[cfg(feature = "png")]
pub mod raster;
pub mod terminal;
pub mod text;
