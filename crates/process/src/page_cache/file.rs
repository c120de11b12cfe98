//! One file's cached pages by node, window by window.

use std::collections::BTreeMap;
use std::ops::Range;
use std::os::fd::AsFd;
use std::path::PathBuf;

use nearfar_model::{Bytes, NodeId};
use nearfar_place::{FileWindow, PlaceError, Residence, cached_bytes, page_size};
use serde::Serialize;

use super::open_file::OpenFile;
use super::path_text::as_text;
use super::window::locate;
use crate::by_node::{BytesByNode, sizes_of};

/// Bytes that are mapped at once: 64 Ki pages of 4 KiB, as lists of 1 MiB.
const WINDOW: Bytes = Bytes::mib(256);

/// Cached pages of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct FileCache {
    /// Its path.
    #[serde(serialize_with = "as_text")]
    pub path: PathBuf,
    /// Its length.
    #[serde(rename = "size_bytes")]
    pub size: Bytes,
    /// Cached, at least where `is_whole` is false.
    #[serde(rename = "cached_bytes")]
    pub cached: Bytes,
    /// By node.
    pub by_node: BytesByNode,
    /// Whether all of it was read before the time ended.
    pub is_whole: bool,
    /// Pages that were evicted while they were located, and read from the disk again.
    pub read_again_pages: u64,
}

/// Cached pages, counted.
#[derive(Debug, Default)]
pub(super) struct PageCounts {
    nodes: BTreeMap<NodeId, u64>,
    /// Cached pages, those of unknown nodes included.
    pages: u64,
}

impl PageCounts {
    pub(super) fn add(&mut self, nodes: impl IntoIterator<Item = Residence>) {
        for residence in nodes {
            self.pages += 1;
            if let Some(node) = residence.node() {
                *self.nodes.entry(node).or_default() += 1;
            }
        }
    }

    pub(super) fn by_node(&self) -> BytesByNode {
        let pages: Vec<(NodeId, u64)> = self.nodes.iter().map(|(n, pages)| (*n, *pages)).collect();
        sizes_of(&pages, page_size()).collect()
    }

    pub(super) fn total(&self) -> Bytes {
        Bytes(self.pages * page_size().0)
    }
}

impl OpenFile {
    /// Reads which pages are cached, on which nodes. `goes_on` is asked before each window.
    pub(super) fn read(&self, goes_on: &mut dyn FnMut() -> bool) -> Result<FileCache, PlaceError> {
        let (mut counts, mut again) = (PageCounts::default(), 0);
        let is_whole = self.each_window(goes_on, &mut |window| {
            let located = locate(window)?;
            again += located.read_again;
            counts.add(located.pages.into_iter().map(|(_, node)| node));
            Ok(())
        })?;
        Ok(FileCache {
            path: self.path.clone(),
            size: Bytes(self.size),
            cached: counts.total(),
            by_node: counts.by_node(),
            is_whole,
            read_again_pages: again,
        })
    }

    /// Calls `work` with each window that may have cached pages. Returns whether these were all.
    pub(super) fn each_window(
        &self,
        goes_on: &mut dyn FnMut() -> bool,
        work: &mut dyn FnMut(&FileWindow) -> Result<(), PlaceError>,
    ) -> Result<bool, PlaceError> {
        // Halves without a cached page are left out, however large they are.
        let mut ranges = Vec::from([Range { start: 0, end: self.size }]);
        while let Some(Range { start, end }) = ranges.pop() {
            if !goes_on() {
                return Ok(false);
            }
            let length = Bytes(end - start);
            match length.0.div_ceil(WINDOW.0) {
                _ if !self.may_be_cached(start, length) => {}
                0 | 1 => work(&FileWindow::map(self.file.as_fd(), start, length)?)?,
                windows => {
                    let middle = start + windows / 2 * WINDOW.0;
                    ranges.extend([middle..end, start..middle]);
                }
            }
        }
        Ok(true)
    }

    fn may_be_cached(&self, offset: u64, length: Bytes) -> bool {
        let counted = || cached_bytes(self.file.as_fd(), offset, length).map_or(1, |bytes| bytes.0);
        length.0 > 0 && (!self.is_counted || counted() > 0)
    }
}
