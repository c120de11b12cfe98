//! A picture of a whole page, as a PNG file.

use std::fs;
use std::path::Path;

use anyhow::Context;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::wire::Wire;

/// Pages beyond this height, in pixels, are cut: no GPU, real or not, paints higher ones.
const HIGHEST: f64 = 16_000.0;

/// Keeps a picture of what a session shows.
pub(super) fn keep(wire: &mut Wire, session: &str, file: &Path) -> anyhow::Result<()> {
    let size = wire.call(session, "Page.getLayoutMetrics", &json!({}))?;
    let side =
        |name: &str| size["cssContentSize"][name].as_f64().unwrap_or(1.0).clamp(1.0, HIGHEST);
    let clip =
        json!({"x": 0, "y": 0, "width": side("width"), "height": side("height"), "scale": 1});
    let asked = json!({"format": "png", "captureBeyondViewport": true, "clip": clip});
    let shot = wire.call(session, "Page.captureScreenshot", &asked)?;
    let bytes = STANDARD.decode(shot["data"].as_str().context("Chromium gives no picture")?)?;
    fs::write(file, bytes).with_context(|| format!("cannot write {}", file.display()))
}
