//! Moves the cached pages of files to nodes, and asks for their nodes again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use nearfar_model::{Bytes, NodeId, NodeSet};
use nearfar_place::{PlaceError, Residence, page_size};
use serde::Serialize;

use super::error::PageCacheError;
use super::file::PageCounts;
use super::open_file::OpenFile;
use super::path_text::as_text;
use super::timeout::{Reporter, watched};
use super::window::{CachedPages, locate};
use crate::by_node::BytesByNode;

/// The schema's name. Parts may be added, never changed, within a number.
pub const FILE_MOVE_SCHEMA: &str = "nearfar.file-move/1";

/// Attempts for pages that are in use at the moment.
const ATTEMPTS: usize = 3;

/// The result of moving the cached pages of files.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct FileMoveDocument {
    schema: &'static str,
    /// The requested nodes.
    pub nodes: NodeSet,
    /// Each file, in the order of the command line.
    pub files: Vec<FileMove>,
}

/// The result for one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct FileMove {
    /// Its path.
    #[serde(serialize_with = "as_text")]
    pub path: PathBuf,
    /// Cached pages before.
    pub before: BytesByNode,
    /// Cached pages afterwards, as the kernel reports them.
    pub after: BytesByNode,
    /// Pages that were on other nodes and are on the requested ones now.
    pub moved_bytes: Bytes,
    /// Pages that did not move, by reason.
    pub stayed: Vec<StayedPages>,
}

/// Pages that did not move for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct StayedPages {
    /// The kernel's reason, if it gives one.
    pub why: Option<String>,
    /// Their size.
    pub bytes: Bytes,
}

impl FileMoveDocument {
    /// Whether all cached pages are on the requested nodes.
    pub fn is_complete(&self) -> bool {
        self.files.iter().all(|file| file.stayed.is_empty())
    }
}

/// Moves the cached pages of these files. Pages that other processes map move only with
/// CAP_SYS_NICE. Pages that are not cached are not read.
///
/// # Errors
///
/// A file does not exist, is a directory, may not be seen, or does not answer.
pub fn move_files(paths: &[PathBuf], nodes: &NodeSet) -> Result<FileMoveDocument, PageCacheError> {
    let mut files = Vec::new();
    let (asked, target) = (paths.to_vec(), nodes.clone());
    let work = move |reporter: &Reporter<FileMove>| {
        // Nothing moves if one of them is wrong.
        for path in &asked {
            reporter.at(path);
            OpenFile::named(path)?;
        }
        asked.iter().try_for_each(|path| {
            reporter.at(path);
            reporter.found(move_file(path, &target, &|| reporter.alive())?);
            Ok(())
        })
    };
    watched(work, |file| files.push(file))?;
    Ok(FileMoveDocument { schema: FILE_MOVE_SCHEMA, nodes: nodes.clone(), files })
}

/// Moves the cached pages of one file; `alive` is called before each window.
pub(super) fn move_file(
    path: &Path,
    nodes: &NodeSet,
    alive: &dyn Fn(),
) -> Result<FileMove, PageCacheError> {
    let file = OpenFile::named(path)?;
    let mut pages = PageMoves::new(nodes);
    let mut goes_on = || {
        alive();
        true
    };
    file.each_window(&mut goes_on, &mut |window| pages.move_window(window))
        .map_err(|cause| PageCacheError::Refused { path: path.to_owned(), cause })?;
    Ok(pages.into_result(path))
}

/// Pages that a huge page of a file has.
fn pages_of_block() -> usize {
    (Bytes::mib(2).0 / page_size().0).max(1) as usize
}

/// Moves of pages, window by window.
pub(super) struct PageMoves<'n> {
    nodes: &'n NodeSet,
    /// Whether pages that others map may move, too.
    shared: bool,
    before: PageCounts,
    after: PageCounts,
    moved: u64,
    stayed: BTreeMap<Option<String>, u64>,
}

impl<'n> PageMoves<'n> {
    pub(super) fn new(nodes: &'n NodeSet) -> Self {
        let (before, after) = (PageCounts::default(), PageCounts::default());
        Self { nodes, shared: true, before, after, moved: 0, stayed: BTreeMap::new() }
    }

    /// Moves the cached pages of a window, and asks for their nodes again.
    pub(super) fn move_window(&mut self, window: &impl CachedPages) -> Result<(), PlaceError> {
        let located = locate(window)?.pages;
        self.before.add(located.iter().map(|(_, node)| node.clone()));
        let pages: Vec<usize> = located.iter().map(|(page, _)| *page).collect();
        let mut now: Vec<Residence> = located.into_iter().map(|(_, node)| node).collect();
        let first = self.elsewhere(&pages, &now);
        let mut reasons = BTreeMap::new();
        for _ in 0..ATTEMPTS {
            let wanted = self.elsewhere(&pages, &now);
            if wanted.is_empty() {
                break;
            }
            reasons = self.relocate(window, &wanted)?;
            now = window.nodes(&pages)?;
        }
        let is_there = |at: &Residence| at.node().is_some_and(|node| self.nodes.contains(node));
        let there: BTreeSet<usize> =
            pages.iter().zip(&now).filter(|(_, at)| is_there(at)).map(|(page, _)| *page).collect();
        self.moved += first.iter().filter(|(page, _)| there.contains(page)).count() as u64;
        let last = self.elsewhere(&pages, &now);
        for (page, _) in last {
            *self.stayed.entry(reasons.remove(&page).flatten()).or_default() += 1;
        }
        self.after.add(now.into_iter().filter(|node| *node != Residence::Absent));
        Ok(())
    }

    /// The pages on other nodes, each with a requested node: blocks in turn, since the kernel moves
    /// a huge page as a whole.
    fn elsewhere(&self, pages: &[usize], now: &[Residence]) -> Vec<(usize, NodeId)> {
        let targets: Vec<NodeId> = self.nodes.iter().collect();
        let is_elsewhere =
            |at: &Residence| at.node().is_some_and(|node| !self.nodes.contains(node));
        let elsewhere = pages.iter().zip(now).filter(|(_, at)| is_elsewhere(at));
        let target = |page: usize| targets[page / pages_of_block() % targets.len().max(1)];
        elsewhere.map(|(page, _)| (*page, target(*page))).collect()
    }

    /// Tries to move pages. Returns the kernel's reasons for those that stay.
    fn relocate(
        &mut self,
        window: &impl CachedPages,
        wanted: &[(usize, NodeId)],
    ) -> Result<BTreeMap<usize, Option<String>>, PlaceError> {
        let mut moved = window.relocate(wanted, self.shared);
        if self.shared && matches!(moved, Err(PlaceError::NotPermitted { .. })) {
            self.shared = false;
            moved = window.relocate(wanted, false);
        }
        let why = |(page, _): &(usize, NodeId), why: Option<String>| (*page, why);
        match moved {
            Ok(now) => {
                let reason = |residence| match residence {
                    Residence::Unknown(why) => Some(why),
                    _ => None,
                };
                Ok(wanted.iter().zip(now).map(|(page, now)| why(page, reason(now))).collect())
            }
            Err(error @ PlaceError::NodesFull { .. }) => {
                Ok(wanted.iter().map(|page| why(page, Some(error.to_string()))).collect())
            }
            Err(error) => Err(error),
        }
    }

    pub(super) fn into_result(self, path: &Path) -> FileMove {
        let bytes = |pages: u64| Bytes(pages * page_size().0);
        let stayed = self.stayed.into_iter();
        FileMove {
            path: path.to_owned(),
            before: self.before.by_node(),
            after: self.after.by_node(),
            moved_bytes: bytes(self.moved),
            stayed: stayed.map(|(why, pages)| StayedPages { why, bytes: bytes(pages) }).collect(),
        }
    }
}
