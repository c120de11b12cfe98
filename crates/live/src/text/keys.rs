//! The keys: a line of the most important ones, and all of them in the help.

use crate::{Prompt, View};

/// The most important keys, the first that fit.
const SHORT: [&str; 11] = [
    "F1 help",
    "q quit",
    "Enter where",
    "F4 filter",
    "t tree",
    "u user",
    "k kill",
    "F6 sort",
    "I invert",
    "c cgroups",
    "Z pause",
];
const GAP: &str = "  ";

/// Keys, and what they do.
pub(super) const ALL: [(&str, &str); 15] = [
    ("q F10", "quit"),
    ("Up Down PgUp PgDn", "move; also Home and End"),
    ("Enter", "where the selected process's memory is, with its threads, and what to do"),
    ("k F9", "end the selected process (SIGTERM), after a question"),
    ("> . F6  < ,", "sort by the next or previous column; the arrow marks it"),
    ("R S M P T V N", "sort by remote memory, remote share, memory, CPU, threads, moving, PID"),
    ("I", "invert the order"),
    ("\\ / F4", "filter by command line; Enter keeps it, Esc ends it"),
    ("u", "filter by user"),
    ("t F5", "processes as a tree"),
    ("c", "control groups or processes"),
    ("Z space", "pause"),
    ("Left Right", "step through a recording"),
    ("H", "not here: rows are processes; Enter shows threads"),
    ("F1 h ?", "this help"),
];

/// The last line of the screen.
pub(super) fn line(view: &View, width: usize) -> String {
    if !view.question.is_empty() {
        return view.question.clone();
    }
    if !view.status.is_empty() {
        return view.status.clone();
    }
    match view.prompt {
        Some(Prompt::Filter) => return format!("filter: {}_  Enter keeps it", view.filter),
        Some(Prompt::User) => return format!("user: {}_  Enter keeps it", view.user),
        None => {}
    }
    let mut line = String::new();
    for key in SHORT {
        let gap = if line.is_empty() { "" } else { GAP };
        if line.len() + gap.len() + key.len() > width && !line.is_empty() {
            break;
        }
        line += gap;
        line += key;
    }
    line
}
