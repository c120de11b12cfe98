//! The ramp of heat maps, and ink that can be read on it.

use colorous::{CIVIDIS, Color};

/// A colour of the ramp: 0 is light (near, fast), 1 is dark (far, slow). Cividis rises evenly in
/// lightness, so print in grey keeps its order.
pub(crate) fn ramp(share: f64) -> Color {
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.5 };
    CIVIDIS.eval_continuous(1.0 - share)
}

/// As CSS writes it.
pub(crate) fn css(colour: Color) -> String {
    format!("#{colour:x}")
}

/// Black or white, whichever is easier to read on a colour: 4.58 of contrast at least.
pub(crate) fn ink_on(colour: Color) -> &'static str {
    let light = luminance(colour);
    if (light + 0.05) / 0.05 >= 1.05 / (light + 0.05) { "#000000" } else { "#ffffff" }
}

/// Relative luminance (WCAG 2.1).
fn luminance(colour: Color) -> f64 {
    let part = |byte: u8| {
        let share = f64::from(byte) / 255.0;
        if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * part(colour.r) + 0.7152 * part(colour.g) + 0.0722 * part(colour.b)
}
