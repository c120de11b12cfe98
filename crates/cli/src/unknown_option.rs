//! A tip for an option that a command does not have: `--root` where no captured machine can be read.

use clap::error::{ContextKind, ContextValue, ErrorKind};

const TIP: &str = "'nearfar topology --root PATH' and 'nearfar diagnose --root PATH' show a \
                   captured machine; it cannot be measured";

/// The error of a subcommand with a tip that replaces the most similar option's name.
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
    error
}
