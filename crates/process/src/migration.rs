//! Moves a process's pages between nodes, and counts the pages that stayed.
//!
//! migrate_pages(2) returns the number of pages that it could not move. Without CAP_SYS_NICE it
//! skips pages that other processes share, and does not count them. So the pages on the old nodes
//! are counted before and after.

use std::thread;
use std::time::Duration;

use nearfar_machine::process::{NumaMaps, Process};
use nearfar_machine::{PageSizes, Source};
use nearfar_model::{Bytes, NodeSet};
use nearfar_place::{PlaceError, migrate_process};
use serde::Serialize;

use crate::error::ProcessError;

/// Calls of migrate_pages(2) at most; the later ones retry pages that were busy.
const ATTEMPTS: u32 = 3;
const MOMENT: Duration = Duration::from_millis(20);

/// What still works if pages cannot be moved.
pub const STILL_WITHOUT_MIGRATION: &str = "'nearfar where PID' still shows its pages, and \
                                           'nearfar move PID --cpus' binds its CPUs, which \
                                           determine the node of its new pages";

/// The document's name and number.
pub const MIGRATION_SCHEMA: &str = "nearfar.migration/1";

/// The result of moving a process's pages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Migration {
    /// [`MIGRATION_SCHEMA`].
    pub schema: &'static str,
    /// The process.
    pub pid: u32,
    /// The nodes to leave.
    pub from: NodeSet,
    /// The nodes to go to.
    pub to: NodeSet,
    /// Pages that the kernel could not move: pinned, busy, or the new nodes are full.
    pub failed_pages: u64,
    /// Its memory on the nodes to leave, before; `None` if it could not be read.
    pub before: Option<MemoryToLeave>,
    /// Its memory there now.
    pub after: Option<MemoryToLeave>,
    /// Why a field above is absent.
    pub why: Option<String>,
}

/// Memory of a process on the nodes to leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct MemoryToLeave {
    /// In mappings that other processes share, mostly the code of libraries.
    pub shared_bytes: Bytes,
    /// All other memory.
    pub own_bytes: Bytes,
    /// Pages of both.
    pub pages: u64,
}

impl Migration {
    /// Moves the pages of a process, and counts those that stayed.
    pub fn carry_out(
        source: &Source,
        pid: u32,
        from: &NodeSet,
        to: &NodeSet,
    ) -> Result<Self, ProcessError> {
        let process = Process::find(source, pid)?;
        // Pages on nodes in both sets may stay.
        let leaving = from.difference(to);
        let sizes = PageSizes::read(source);
        let count = || process.numa_maps().map(|maps| MemoryToLeave::on(&leaving, &maps, sizes));
        let before = count();
        let moved = with_retries(|| migrate_process(pid, from, to));
        let after = count();
        let failed_pages = match (moved, &after) {
            (Ok(failed), _) => failed,
            // The kernel stops without a count: all pages that are still there did not move.
            (Err(PlaceError::NodesFull { .. }), Ok(after)) => after.pages,
            (Err(refusal), _) => return Err(refusal.into()),
        };
        let why = [&before, &after]
            .into_iter()
            .find_map(|looked| looked.as_ref().err().map(ToString::to_string));
        Ok(Self {
            schema: MIGRATION_SCHEMA,
            pid,
            from: from.clone(),
            to: to.clone(),
            failed_pages,
            before: before.ok(),
            after: after.ok(),
            why,
        })
    }

    /// Whether all of the process's own pages moved. Pages that others share may stay.
    pub fn is_complete(&self) -> bool {
        self.failed_pages == 0 && self.after.is_none_or(|after| after.own_bytes == Bytes(0))
    }

    /// What stayed and why, in a line; `None` if nothing did.
    pub fn remainder(&self) -> Option<String> {
        let mut reasons = Vec::new();
        if self.failed_pages > 0 {
            let failed = self.failed_pages;
            let pages = if failed == 1 { "page" } else { "pages" };
            reasons.push(format!(
                "the kernel could not move {failed} {pages} (pinned, busy, or nodes {} are full)",
                self.to
            ));
        }
        let after = self.after.unwrap_or_default();
        if after.own_bytes > Bytes(0) {
            reasons
                .push(format!("{} of its own are still on nodes {}", after.own_bytes, self.from));
        }
        if after.shared_bytes > Bytes(0) {
            let shared = after.shared_bytes;
            reasons.push(format!(
                "{shared} shared with other processes stayed (CAP_SYS_NICE moves most of it)"
            ));
        }
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }
}

/// Retries for pages that are busy: under I/O or in use by the kernel, usually for milliseconds.
/// Pages that never move are pinned, or the new nodes are full.
fn with_retries(mut migrate: impl FnMut() -> Result<u64, PlaceError>) -> Result<u64, PlaceError> {
    for _ in 1..ATTEMPTS {
        match migrate() {
            Ok(1..) => thread::sleep(MOMENT),
            ended => return ended,
        }
    }
    migrate()
}

impl MemoryToLeave {
    /// The memory of a process on these nodes.
    fn on(nodes: &NodeSet, maps: &NumaMaps, sizes: PageSizes) -> Self {
        let mut standing = Self::default();
        for mapping in &maps.mappings {
            let there = mapping.pages.iter().filter(|(node, _)| nodes.contains(*node));
            let pages = there.fold(0u64, |sum, (_, pages)| sum.saturating_add(*pages));
            let bytes = Bytes(pages.saturating_mul(sizes.of(mapping).0));
            let others = mapping.is_mapped_by_others();
            let share = if others { &mut standing.shared_bytes } else { &mut standing.own_bytes };
            *share = *share + bytes;
            standing.pages = standing.pages.saturating_add(pages);
        }
        standing
    }
}

#[cfg(test)]
mod tests {
    use nearfar_model::NodeId;

    use super::*;

    const MAPS: &str = "\
00400000 default file=/usr/lib/libc.so mapped=20 mapmax=30 N1=20 kernelpagesize_kB=4
01a00000 default heap anon=512 dirty=512 N0=500 N1=12 kernelpagesize_kB=4
7f0000000000 default huge anon=3 dirty=3 N1=3 kernelpagesize_kB=2048
7f0010000000 default file=/srv/data mapped=4 N1=4 kernelpagesize_kB=4
";

    fn after(text: &str, failed_pages: u64) -> Migration {
        let standing = MemoryToLeave::on(
            &NodeSet::from_id(NodeId(1)),
            &NumaMaps::parse(text),
            PageSizes::default(),
        );
        Migration {
            schema: MIGRATION_SCHEMA,
            pid: 42,
            from: NodeSet::from_id(NodeId(1)),
            to: NodeSet::from_id(NodeId(0)),
            failed_pages,
            before: None,
            after: Some(standing),
            why: None,
        }
    }

    #[test]
    fn busy_pages_are_retried_and_full_nodes_are_not() {
        let mut results = vec![Ok(0), Ok(2), Ok(9)];
        assert_eq!(with_retries(|| results.pop().unwrap()), Ok(0));
        let mut calls = 0;
        assert_eq!(
            with_retries(|| {
                calls += 1;
                Ok(5)
            }),
            Ok(5)
        );
        assert_eq!(calls, ATTEMPTS);
        let full = || Err(PlaceError::NodesFull { call: "migrate_pages" });
        let mut results = vec![full()];
        assert_eq!(with_retries(|| results.pop().unwrap()), full());
    }

    #[test]
    fn own_and_shared_memory_is_counted_in_bytes() {
        let standing = MemoryToLeave::on(
            &NodeSet::from_id(NodeId(1)),
            &NumaMaps::parse(MAPS),
            PageSizes::default(),
        );
        assert_eq!(standing.shared_bytes, Bytes(20 << 12));
        // A file that no other process maps counts as its own.
        assert_eq!(standing.own_bytes, Bytes((16 << 12) + (3 << 21)));
        assert_eq!(standing.pages, 39);
    }

    #[test]
    fn own_pages_that_stayed_are_a_failure() {
        let stayed = after(MAPS, 0);
        assert!(!stayed.is_complete());
        assert!(
            stayed.remainder().unwrap().contains("6.06 MiB of its own are still on nodes 1"),
            "{stayed:?}"
        );
        let failed = after("", 7);
        assert!(!failed.is_complete() && failed.remainder().unwrap().contains("7 pages"));
    }

    #[test]
    fn shared_pages_that_stayed_are_no_failure() {
        let shared = after(MAPS.lines().next().unwrap(), 0);
        assert!(shared.is_complete());
        assert!(shared.remainder().unwrap().contains("80 KiB shared"), "{shared:?}");
        assert_eq!(after("", 0).remainder(), None);
    }
}
