//! If a sandbox denies a call, its error also names what still works.

use anyhow::anyhow;
use nearfar_process::ProcessError;
use nearfar_view::terminal::error_line;

/// Adds what still works to the error of a denied call; returns other errors unchanged.
pub(crate) fn but_still(error: ProcessError, still: &str) -> anyhow::Error {
    if error.is_denied() { anyhow!("{}; {still}", error_line(&error)) } else { error.into() }
}

#[cfg(test)]
mod tests {
    use nearfar_place::PlaceError;

    use super::*;

    #[test]
    fn errors_of_denied_calls_name_what_still_works() {
        let denied = PlaceError::NotPermitted { call: "mbind" };
        let message = but_still(denied.into(), "run works").to_string();
        assert!(
            message.starts_with("mbind was refused") && message.ends_with("; run works"),
            "{message}"
        );
        let ended = PlaceError::ProcessGone { call: "mbind", pid: 7 };
        assert_eq!(but_still(ended.clone().into(), "run works").to_string(), ended.to_string());
    }
}
