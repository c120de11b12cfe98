//! What pictures need from the system: PNG, what the terminal can show, and tables that are no
//! survey.

pub(crate) mod pair_table;
#[cfg(not(feature = "png"))]
mod renderer;
pub(crate) mod terminal;
pub(crate) mod unmeasured;

#[cfg(not(feature = "png"))]
pub(crate) use renderer::png;

/// The picture as PNG, with `scale` pixels to a unit of the SVG.
#[cfg(feature = "png")]
pub(crate) fn png(svg: &str, scale: f64) -> anyhow::Result<Vec<u8>> {
    Ok(nearfar_view::raster::png(svg, scale)?)
}
