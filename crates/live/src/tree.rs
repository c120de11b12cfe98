//! Processes below those that started them.

use std::collections::{BTreeMap, HashSet};

use crate::document::ProcessRow;

/// Each process with the shown processes that it started below it; siblings keep their order.
pub(crate) fn tree(rows: Vec<ProcessRow>) -> Vec<ProcessRow> {
    let shown: HashSet<u32> = rows.iter().map(|row| row.pid).collect();
    let mut children = BTreeMap::<u32, Vec<usize>>::new();
    let mut open = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let parent = row.identity.parent;
        if shown.contains(&parent) && parent != row.pid {
            children.entry(parent).or_default().push(at);
        } else {
            open.push((at, 0));
        }
    }
    open.reverse();
    let mut order = Vec::with_capacity(rows.len());
    while let Some((at, depth)) = open.pop() {
        order.push((at, depth));
        let below = children.remove(&rows[at].pid).unwrap_or_default();
        open.extend(below.into_iter().rev().map(|at| (at, depth + 1)));
    }
    // Numbers that are used again while processes are read may make a circle.
    let placed: HashSet<usize> = order.iter().map(|(at, _)| *at).collect();
    order.extend((0..rows.len()).filter(|at| !placed.contains(at)).map(|at| (at, 0)));
    let mut rows: Vec<Option<ProcessRow>> = rows.into_iter().map(Some).collect();
    let at_depth = |(at, depth): (usize, usize)| {
        let mut row = rows[at].take()?;
        row.identity.depth = depth;
        Some(row)
    };
    order.into_iter().filter_map(at_depth).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::ProcessIdentity;

    #[test]
    fn children_stand_below_their_parents_in_their_order() {
        let row = |(pid, parent)| ProcessRow {
            pid,
            identity: ProcessIdentity { parent, ..ProcessIdentity::default() },
            ..ProcessRow::default()
        };
        let rows = [(9, 4), (4, 1), (8, 7), (7, 4), (5, 0), (2, 3), (3, 2)].map(row);
        let placed: Vec<(u32, usize)> =
            tree(rows.to_vec()).iter().map(|row| (row.pid, row.identity.depth)).collect();
        assert_eq!(placed, [(4, 0), (9, 1), (7, 1), (8, 2), (5, 0), (2, 0), (3, 0)]);
    }
}
