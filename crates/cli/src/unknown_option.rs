//! Tips for arguments that a command does not have: `--root` where no captured machine can be read,
//! and a program without `--` before it.

use std::ffi::OsStr;

use clap::error::{ContextKind, ContextValue, ErrorKind};

const TIP: &str = "'nearfar topology --root PATH' and 'nearfar diagnose --root PATH' show a \
                   captured machine; it cannot be measured";

/// The error of a subcommand with a tip that replaces the most similar option's name.
pub(crate) fn with_tip(mut error: clap::Error, subcommand: Option<&OsStr>) -> clap::Error {
    let is_root = matches!(
        error.get(ContextKind::InvalidArg),
        Some(ContextValue::String(option)) if option == "--root"
    );
    if error.kind() == ErrorKind::UnknownArgument && is_root {
        // The usage would contain the similar option.
        error.remove(ContextKind::SuggestedArg);
        error.remove(ContextKind::Usage);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![TIP.into()]));
    }
    if let Some(program) = unknown_word(&error).filter(|_| subcommand == Some("sweep".as_ref())) {
        error.remove(ContextKind::Suggested);
        let tip = format!("'--' stands before the program: 'nearfar sweep -- {program}'");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// A word that is neither an option nor an argument.
fn unknown_word(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg) else { return None };
    let is_word = error.kind() == ErrorKind::UnknownArgument && !word.starts_with('-');
    is_word.then(|| word.clone())
}
