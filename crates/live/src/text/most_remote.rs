//! Who has the most remote memory, in a sentence.

use super::{amount, summary};
use crate::{ProcessRow, Tick};

/// Of the processes in a tick.
pub(super) fn sentence(tick: &Tick) -> String {
    if summary::nodes_with_memory(tick) < 2 {
        return "Nothing is remote: this machine shows one node with memory.".to_owned();
    }
    let remote = |row: &ProcessRow| {
        row.remote_share.map_or(0.0, |share| share.value * row.memory_bytes.0 as f64)
    };
    let most = tick.processes.iter().max_by(|one, other| remote(one).total_cmp(&remote(other)));
    match most.and_then(|row| Some((row, row.remote_share?))) {
        Some((row, share)) if share.value > 0.0 => format!(
            "Most remote memory: {} (process {}), {} of {}. 'nearfar explain {}' has what that may \
             cost.",
            row.name,
            row.pid,
            amount::percent(share.value),
            amount::bytes(row.memory_bytes),
            row.pid
        ),
        Some(_) => "None of the processes shown has remote memory.".to_owned(),
        None => "Cannot decide who has remote memory: no process was sampled.".to_owned(),
    }
}
