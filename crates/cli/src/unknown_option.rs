//! Tips for arguments that a command does not have: `--root` where no captured machine can be read,
//! and a program without `--` before it.

use clap::error::{ContextKind, ContextValue, ErrorKind};

const TIP: &str = "'nearfar topology --root PATH' and 'nearfar diagnose --root PATH' show a \
                   captured machine; it cannot be measured";

/// The error with a tip that replaces the most similar option's name.
pub(crate) fn with_tip(mut error: clap::Error) -> clap::Error {
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
    if let Some(program) = program_of_sweep(&error) {
        error.remove(ContextKind::Suggested);
        let tip = format!("'--' stands before the program: 'nearfar sweep -- {program}'");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// The word that is no option of `nearfar sweep`.
fn program_of_sweep(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg) else { return None };
    let Some(ContextValue::StyledStr(usage)) = error.get(ContextKind::Usage) else { return None };
    let is_program = error.kind() == ErrorKind::UnknownArgument && !word.starts_with('-');
    (is_program && usage.to_string().contains("nearfar sweep")).then(|| word.clone())
}
