//! A picture of a whole page, as a PNG file.

use std::fs;
use std::path::Path;

use anyhow::Context;
use serde_json::json;

use super::wire::Wire;

/// Pages beyond this height, in pixels, are cut: no GPU, real or not, paints higher ones.
const HIGHEST: f64 = 16_000.0;

/// Keeps a picture of what a session shows.
pub(super) fn keep(wire: &mut Wire, session: &str, file: &Path) -> anyhow::Result<()> {
    let size = wire.call(session, "Page.getLayoutMetrics", &json!({}))?;
    let side = |name: &str| size["cssContentSize"][name].as_f64().unwrap_or(1.0).clamp(1.0, HIGHEST);
    let clip = json!({"x": 0, "y": 0, "width": side("width"), "height": side("height"), "scale": 1});
    let asked = json!({"format": "png", "captureBeyondViewport": true, "clip": clip});
    let shot = wire.call(session, "Page.captureScreenshot", &asked)?;
    let bytes = shot["data"].as_str().and_then(bytes).context("Chromium gives no picture")?;
    fs::write(file, bytes).with_context(|| format!("cannot write {}", file.display()))
}

/// The bytes of base64 (RFC 4648, section 4).
fn bytes(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut held) = (0u32, 0);
    for letter in text.trim_end_matches('=').bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held & 0xff) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_read_as_its_standard_shows() {
        // RFC 4648, section 10.
        for (coded, plain) in [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9vYmFy", "foobar")] {
            assert_eq!(bytes(coded).unwrap(), plain.as_bytes());
        }
        assert_eq!(bytes("+/+/").unwrap(), [0xfb, 0xff, 0xbf]);
        assert_eq!(bytes("Z!"), None);
    }
}
