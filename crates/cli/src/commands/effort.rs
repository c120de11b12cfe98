//! `--quick` and `--thorough`, of which a command takes one at most.

use nearfar_survey::Mode;

/// What these flags ask for together.
pub(super) fn mode(quick: bool, thorough: bool) -> Mode {
    match (quick, thorough) {
        (true, _) => Mode::Quick,
        (_, true) => Mode::Thorough,
        _ => Mode::Default,
    }
}
