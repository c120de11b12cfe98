//! Where a sandbox denies a call, its error is followed by what can be had all the same: who is
//! refused is told the way round as well.

use anyhow::anyhow;
use nearfar_place::PlaceError;
use nearfar_process::ProcessError;
use nearfar_terminal::error_line;

/// The same error; of a denied call also what still works without it.
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
    fn a_denied_call_is_followed_by_what_still_works_and_nothing_else_is() {
        let denied = || PlaceError::NotPermitted { call: "mbind" };
        let errors: [anyhow::Error; 2] = [denied().into(), ProcessError::from(denied()).into()];
        for error in errors {
            let said = but_still(error, "tea can be had").to_string();
            assert!(
                said.starts_with("mbind was refused") && said.ends_with("; tea can be had"),
                "{said}"
            );
        }
        let elsewhere = PlaceError::ProcessGone { call: "mbind", pid: 7 };
        assert_eq!(but_still(elsewhere.clone(), "tea").to_string(), elsewhere.to_string());
    }
}
