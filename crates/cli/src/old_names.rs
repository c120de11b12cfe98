//! Commands that have another name now.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use nearfar_view::terminal::exit::WrongUsage;

/// Old names, and what to call.
const OLD_NAMES: [(&str, &str); 3] = [
    ("stat", "top --once"),
    ("surveys", "show"),
    ("migrate", "move PID --from NODES --nodes NODES"),
];

/// The error of a command that is called by its old name.
pub(crate) fn renamed(error: &clap::Error) -> Option<WrongUsage> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let is_command = error.kind() == ErrorKind::InvalidSubcommand;
    let (old, new) = OLD_NAMES.iter().find(|(old, _)| is_command && old == word)?;
    Some(WrongUsage(format!("'{old}' is now '{new}'")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_names_lead_to_commands_that_parse() {
        for (old, new) in OLD_NAMES {
            let error = crate::command().try_get_matches_from(["nearfar", old]).unwrap_err();
            let text = renamed(&error).unwrap().to_string();
            assert_eq!(text, format!("'{old}' is now '{new}'"));
            let words = ["nearfar"].into_iter().chain(new.split(' '));
            crate::command().try_get_matches_from(words).unwrap();
        }
        let unknown = crate::command().try_get_matches_from(["nearfar", "start"]).unwrap_err();
        assert!(renamed(&unknown).is_none());
    }
}
