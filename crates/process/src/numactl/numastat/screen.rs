//! The width of numastat's lines.

use std::io::IsTerminal;

const USUAL: usize = 80;
const LEAST: usize = 32;
/// Far beyond any line: output to files and pipes is not folded.
const UNFOLDED: usize = 10_000_000;

/// The width: `NUMASTAT_WIDTH`, else the terminal's, else unlimited.
pub(super) fn width() -> usize {
    let width = std::env::var("NUMASTAT_WIDTH").ok();
    let width = match width {
        Some(text) => {
            text.trim().parse().ok().filter(|width| (1..=UNFOLDED).contains(width)).unwrap_or(USUAL)
        }
        None if std::io::stdout().is_terminal() => {
            let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok();
            size.map(|size| usize::from(size.ws_col)).filter(|&width| width > 0).unwrap_or(USUAL)
        }
        None => UNFOLDED,
    };
    width.max(LEAST)
}
