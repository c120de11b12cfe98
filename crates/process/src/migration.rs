//! Moving a process's pages from nodes to nodes, and looking afterwards at what stayed.
//!
//! migrate_pages(2) answers with the number of pages that it tried and could not move, and is
//! silent about those it does not try: pages shared with other processes, unless the caller has
//! CAP_SYS_NICE. So what stands on the old nodes is counted before and after.

use std::thread;
use std::time::Duration;

use nearfar_machine::process::{NumaMaps, Process};
use nearfar_machine::{PageSizes, Source};
use nearfar_model::{Bytes, NodeSet};
use nearfar_place::{PlaceError, migrate_process};
use serde::Serialize;

use crate::error::ProcessError;

/// How often the kernel is asked to move what it could not move before.
const ATTEMPTS: u32 = 3;
/// What busy pages are given in between.
const MOMENT: Duration = Duration::from_millis(20);

/// What can be had where pages cannot be moved.
pub const STILL_WITHOUT_MIGRATION: &str = "'nearfar where PID' still shows where they are, and \
                                           'nearfar move PID --cpus' binds its CPUs, where its \
                                           next pages come from";

/// The document's name and number.
pub const MIGRATION_SCHEMA: &str = "nearfar.migration/1";

/// What came of moving a process's pages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Migration {
    /// [`MIGRATION_SCHEMA`].
    pub schema: &'static str,
    /// The process.
    pub pid: u32,
    /// The nodes to leave.
    pub from: NodeSet,
    /// The nodes to go to.
    pub to: NodeSet,
    /// Pages that the kernel tried to move and could not: pinned, busy, or no room where they
    /// should go.
    pub failed_pages: u64,
    /// What stood on the nodes to leave, before; `None` where the kernel does not tell.
    pub before: Option<Standing>,
    /// What stands there now.
    pub after: Option<Standing>,
    /// Why something above is absent.
    pub why: Option<String>,
}

/// Memory of a process on the nodes that it is to leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Standing {
    /// In mappings of which other processes map pages too, the libraries' text above all.
    pub shared_bytes: Bytes,
    /// All other memory.
    pub own_bytes: Bytes,
    /// All of it, in the pages that it is mapped by.
    pub pages: u64,
}

impl Migration {
    /// Moves the pages of a process, and looks at what stayed.
    pub fn carry_out(
        source: &Source,
        pid: u32,
        from: &NodeSet,
        to: &NodeSet,
    ) -> Result<Self, ProcessError> {
        let process = Process::find(source, pid)?;
        // Nodes in both sets may keep what they have.
        let leaving = from.difference(to);
        let sizes = PageSizes::read(source);
        let look = || process.numa_maps().map(|maps| Standing::on(&leaving, &maps, sizes));
        let before = look();
        let moved = patiently(|| migrate_process(pid, from, to));
        let after = look();
        let failed_pages = match (moved, &after) {
            (Ok(failed), _) => failed,
            // The kernel gives up and forgets its count: what stands there still is what it could
            // not move.
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

    /// Whether all pages moved that are the process's own. Pages that it shares may stay: they are
    /// the others' as well.
    pub fn is_complete(&self) -> bool {
        self.failed_pages == 0 && self.after.is_none_or(|after| after.own_bytes == Bytes(0))
    }

    /// What stayed and why, in a line; `None` when nothing did.
    pub fn remainder(&self) -> Option<String> {
        let mut said = Vec::new();
        if self.failed_pages > 0 {
            let failed = self.failed_pages;
            let pages = if failed == 1 { "page" } else { "pages" };
            said.push(format!(
                "the kernel could not move {failed} {pages} (pinned, busy, or no room on nodes {})",
                self.to
            ));
        }
        let after = self.after.unwrap_or_default();
        if after.own_bytes > Bytes(0) {
            said.push(format!("{} of its own stand on nodes {}", after.own_bytes, self.from));
        }
        if after.shared_bytes > Bytes(0) {
            let shared = after.shared_bytes;
            said.push(format!(
                "{shared} shared with other processes stayed (CAP_SYS_NICE moves most of it)"
            ));
        }
        (!said.is_empty()).then(|| said.join("; "))
    }
}

/// Asks again for pages that were busy: read or written just now, or looked at by the kernel, which
/// passes in a moment. Those that never move are pinned, or have no room.
fn patiently(mut migrate: impl FnMut() -> Result<u64, PlaceError>) -> Result<u64, PlaceError> {
    for _ in 1..ATTEMPTS {
        match migrate() {
            Ok(1..) => thread::sleep(MOMENT),
            ended => return ended,
        }
    }
    migrate()
}

impl Standing {
    /// What a process has on these nodes.
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
        let standing = Standing::on(
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
    fn busy_pages_are_tried_again_and_full_nodes_are_not() {
        let mut answers = vec![Ok(0), Ok(2), Ok(9)];
        assert_eq!(patiently(|| answers.pop().unwrap()), Ok(0));
        let mut asked = 0;
        assert_eq!(
            patiently(|| {
                asked += 1;
                Ok(5)
            }),
            Ok(5)
        );
        assert_eq!(asked, ATTEMPTS);
        let full = || Err(PlaceError::NodesFull { call: "migrate_pages" });
        let mut answers = vec![full()];
        assert_eq!(patiently(|| answers.pop().unwrap()), full());
    }

    #[test]
    fn what_stands_on_a_node_is_counted_in_bytes_and_by_whose_it_is() {
        let standing = Standing::on(
            &NodeSet::from_id(NodeId(1)),
            &NumaMaps::parse(MAPS),
            PageSizes::default(),
        );
        assert_eq!(standing.shared_bytes, Bytes(20 << 12));
        // A file that nobody else maps is its own to move.
        assert_eq!(standing.own_bytes, Bytes((16 << 12) + (3 << 21)));
        assert_eq!(standing.pages, 39);
    }

    #[test]
    fn pages_of_its_own_that_stayed_are_a_failure_and_are_told() {
        let stayed = after(MAPS, 0);
        assert!(!stayed.is_complete());
        assert!(
            stayed.remainder().unwrap().contains("6.06 MiB of its own stand on nodes 1"),
            "{stayed:?}"
        );
        let failed = after("", 7);
        assert!(!failed.is_complete() && failed.remainder().unwrap().contains("7 pages"));
    }

    #[test]
    fn shared_pages_that_stayed_are_told_and_no_failure() {
        let shared = after(MAPS.lines().next().unwrap(), 0);
        assert!(shared.is_complete());
        assert!(shared.remainder().unwrap().contains("80 KiB shared"), "{shared:?}");
        assert_eq!(after("", 0).remainder(), None);
    }
}
