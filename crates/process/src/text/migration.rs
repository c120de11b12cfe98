//! The result of `nearfar move --from`.

use crate::Migration;

/// A line on what moved, and one on what stayed.
pub fn text(migration: &Migration) -> String {
    let Migration { pid, from, to, .. } = migration;
    let mut text = match (migration.before, migration.after) {
        (Some(before), Some(after)) => {
            let (was, is) =
                (before.own_bytes + before.shared_bytes, after.own_bytes + after.shared_bytes);
            format!(
                "process {pid}, from nodes {from} to nodes {to}: {was} before, {is} did not move\n"
            )
        }
        _ => format!(
            "process {pid}: the kernel moved an unknown number of pages from nodes {from} to nodes \
             {to}\n"
        ),
    };
    if let Some(remainder) = migration.remainder() {
        text.push_str(&remainder);
        text.push('\n');
    }
    text
}
