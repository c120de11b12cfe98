//! `--quick` and `--thorough`, which exclude each other.

use nearfar_survey::Mode;

/// The mode that these flags select.
pub(super) fn mode(quick: bool, thorough: bool) -> Mode {
    match (quick, thorough) {
        (true, _) => Mode::Quick,
        (_, true) => Mode::Thorough,
        _ => Mode::Default,
    }
}
