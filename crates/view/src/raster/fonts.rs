//! The embedded fonts.

use std::sync::Arc;

use resvg::usvg::fontdb::Database;

/// The name in `fonts/make.sh`.
pub(crate) const FAMILY: &str = "Nearfar Sans";

/// Both weights, under every generic name of CSS.
pub(crate) fn database() -> Arc<Database> {
    let mut fonts = Database::new();
    fonts.load_font_data(include_bytes!("../../fonts/sans-regular.ttf").to_vec());
    fonts.load_font_data(include_bytes!("../../fonts/sans-bold.ttf").to_vec());
    fonts.set_sans_serif_family(FAMILY);
    fonts.set_serif_family(FAMILY);
    fonts.set_monospace_family(FAMILY);
    Arc::new(fonts)
}
