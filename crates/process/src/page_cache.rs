//! The page cache of files: which pages are cached on which nodes, without reading any from a
//! disk; moving them; and reading a file onto a program's node before it starts.
//!
//! mincore(2) reports which pages are cached, a read-only mapping enters just these in the page
//! table, and move_pages(2) reports their nodes. cachestat(2), where there, skips parts of files
//! without a cached page.

mod document;
mod error;
mod file;
mod moving;
mod open_file;
mod path_text;
mod reading;
#[cfg(test)]
mod tests;
mod timeout;
mod tree;
mod unseen;
mod warm;
mod window;

pub use document::{NotSeen, PAGE_CACHE_SCHEMA, PageCacheDocument};
pub use error::PageCacheError;
pub use file::FileCache;
pub use moving::{FILE_MOVE_SCHEMA, FileMove, FileMoveDocument, StayedPages, move_files};
pub(crate) use path_text::path_text;
pub use reading::read_page_cache;
pub use unseen::Unseen;
pub use warm::{WarmedFile, warm_files};
