//! Machines with another name or another board, as sentences.

use crate::fleet::BoardChange;
use crate::fleet::text::history::day;

/// A sentence for each change.
pub fn boards(changes: &[BoardChange]) -> Vec<String> {
    changes.iter().map(sentence).collect()
}

fn sentence(change: &BoardChange) -> String {
    let BoardChange { machine, board_of, had_another, since, before } = change;
    let (since, before) = (day(since), day(before));
    match (board_of, had_another) {
        (Some(other), false) => {
            format!("renamed: {machine} is {other}'s board since {since} (before: {before}).")
        }
        (Some(other), true) => format!(
            "{machine}: board changed between {before} and {since}, to that of {other}. Its \
             history begins anew."
        ),
        (None, _) => format!(
            "{machine}: board changed between {before} and {since}. Its history begins anew."
        ),
    }
}
