//! Tips for options that a command does not have: `--root` where no captured machine can be read,
//! and old names.

use clap::error::{ContextKind, ContextValue, ErrorKind};

const TIP: &str = "'nearfar topology --root PATH' and 'nearfar diagnose --root PATH' show a \
                   captured machine; it cannot be measured";

/// Old names of options, and today's.
const RENAMED: [(&str, &str); 1] = [("--letter", "nearfar diagnose --support-report")];

/// What `nearfar move` has for options of numactl and `nearfar run`.
const OPTIONS_OF_MOVE: &str =
    "'nearfar move' has '--cpus LIST' for CPUs and '--nodes LIST' for memory";

/// The error of a subcommand with a tip that replaces the most similar option's name.
pub(crate) fn with_tip(mut error: clap::Error) -> clap::Error {
    if is_unknown(&error, "--root") {
        // The usage would contain the similar option.
        error.remove(ContextKind::SuggestedArg);
        error.remove(ContextKind::Usage);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![TIP.into()]));
    }
    if let Some((_, new)) = RENAMED.iter().find(|(old, _)| is_unknown(&error, old)) {
        error.remove(ContextKind::SuggestedArg);
        error.remove(ContextKind::Usage);
        let tip = format!("this option is now '{new}'");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    let of_run = ["-N", "-m", "-C", "-i", "-p", "--cpunodebind", "--membind", "--physcpubind"];
    if is_of_move(&error) && of_run.iter().any(|name| is_unknown(&error, name)) {
        error.remove(ContextKind::SuggestedArg);
        error
            .insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![OPTIONS_OF_MOVE.into()]));
    }
    error
}

fn is_of_move(error: &clap::Error) -> bool {
    let usage = error.get(ContextKind::Usage);
    matches!(usage, Some(ContextValue::StyledStr(text)) if text.to_string().contains(" move "))
}

/// Whether the command does not have this option.
fn is_unknown(error: &clap::Error, name: &str) -> bool {
    let invalid = error.get(ContextKind::InvalidArg);
    error.kind() == ErrorKind::UnknownArgument
        && matches!(invalid, Some(ContextValue::String(option)) if option == name)
}
