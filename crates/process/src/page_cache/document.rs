//! `nearfar where FILE --json`: the document `nearfar.page-cache/1`.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use nearfar_model::{Bytes, NodeId};
use serde::Serialize;

use super::file::FileCache;
use super::path_text::as_text;
use super::tree::Finding;
use super::unseen::Unseen;
use crate::by_node::BytesByNode;

/// The schema's name. Parts may be added, never changed, within a number.
pub const PAGE_CACHE_SCHEMA: &str = "nearfar.page-cache/1";

/// Files that are listed at most.
const MAX_LISTED: usize = 1000;

/// Cached pages of a file, or of the files below a directory.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct PageCacheDocument {
    schema: &'static str,
    /// What was asked for.
    #[serde(serialize_with = "as_text")]
    pub path: PathBuf,
    /// Whether all files were read before the time ended. If not, figures are lower bounds.
    pub is_whole: bool,
    /// Files that were read.
    pub files_read: usize,
    /// Files with cached pages.
    pub files_cached: usize,
    /// Cached, of all files.
    pub cached_bytes: Bytes,
    /// By node, of all files.
    pub by_node: BytesByNode,
    /// Pages that were evicted while they were located, and read from the disk again.
    pub read_again_pages: u64,
    /// Files and directories whose pages were not seen, by reason.
    pub not_seen: Vec<NotSeen>,
    /// The files with the most cached pages, the largest first; at most 1000.
    pub files: Vec<FileCache>,
}

/// Files that may not be seen for one reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct NotSeen {
    /// The reason.
    pub why: Unseen,
    /// How many files or directories.
    pub files: usize,
}

/// Findings, added as they come.
#[derive(Debug, Default)]
pub(super) struct Collected {
    largest: Vec<FileCache>,
    nodes: BTreeMap<NodeId, Bytes>,
    cached: Bytes,
    files_read: usize,
    files_cached: usize,
    read_again: u64,
    not_seen: BTreeMap<Unseen, usize>,
    is_cut: bool,
}

impl Collected {
    pub(super) fn add(&mut self, finding: Finding) {
        let file = match finding {
            Ok(file) => file,
            Err(why) => return *self.not_seen.entry(why).or_default() += 1,
        };
        self.files_read += 1;
        self.is_cut |= !file.is_whole;
        self.read_again += file.read_again_pages;
        if file.cached.0 == 0 {
            return;
        }
        self.files_cached += 1;
        self.cached = self.cached + file.cached;
        for (node, bytes) in file.by_node.iter() {
            let sum = self.nodes.entry(node).or_default();
            *sum = *sum + bytes;
        }
        self.largest.push(file);
        if self.largest.len() > 2 * MAX_LISTED {
            self.keep_largest();
        }
    }

    fn keep_largest(&mut self) {
        self.largest.sort_by(|one, other| {
            (Reverse(one.cached), &one.path).cmp(&(Reverse(other.cached), &other.path))
        });
        self.largest.truncate(MAX_LISTED);
    }

    pub(super) fn into_document(mut self, path: &Path, is_whole: bool) -> PageCacheDocument {
        self.keep_largest();
        let not_seen = self.not_seen.into_iter().map(|(why, files)| NotSeen { why, files });
        PageCacheDocument {
            schema: PAGE_CACHE_SCHEMA,
            path: path.to_owned(),
            is_whole: is_whole && !self.is_cut,
            files_read: self.files_read,
            files_cached: self.files_cached,
            cached_bytes: self.cached,
            by_node: self.nodes.into_iter().collect(),
            read_again_pages: self.read_again,
            not_seen: not_seen.collect(),
            files: self.largest,
        }
    }
}
