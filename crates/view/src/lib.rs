//! VIEW

pub mod draw;
pub mod input;
pub mod owned_files;
#[cfg(feature = "png")]
pub mod raster;
pub mod terminal;
pub mod text;
