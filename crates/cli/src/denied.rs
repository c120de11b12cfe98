//! If a sandbox denies a call, its error also names what still works.

use anyhow::anyhow;
use nearfar_place::PlaceError;
use nearfar_process::ProcessError;
use nearfar_view::terminal::error_line;

/// Adds what still works to the error of a denied call; returns other errors unchanged.
pub(crate) fn but_still(error: impl Into<anyhow::Error>, still: &str) -> anyhow::Error {
    let error = error.into();
    if is_denied(&error) { anyhow!("{}; {still}", error_line(error.as_ref())) } else { error }
}

fn is_denied(error: &anyhow::Error) -> bool {
    match (error.downcast_ref::<PlaceError>(), error.downcast_ref::<ProcessError>()) {
        (Some(refusal), _) | (_, Some(ProcessError::PlaceError(refusal))) => refusal.is_denied(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_denied_calls_name_what_still_works() {
        let denied = || PlaceError::NotPermitted { call: "mbind" };
        let errors: [anyhow::Error; 2] = [denied().into(), ProcessError::from(denied()).into()];
        for error in errors {
            let message = but_still(error, "run works").to_string();
            assert!(
                message.starts_with("mbind was refused") && message.ends_with("; run works"),
                "{message}"
            );
        }
        let elsewhere = PlaceError::ProcessGone { call: "mbind", pid: 7 };
        assert_eq!(but_still(elsewhere.clone(), "run works").to_string(), elsewhere.to_string());
    }
}
