//! The page cache of what a user names: a file, a directory, a mount point.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::document::{Collected, PageCacheDocument};
use super::error::PageCacheError;
use super::open_file::{OpenFile, kind_without_pages};
use super::timeout::{Reporter, watched};
use super::tree::{Finding, Walk};

/// Reads which pages are cached, on which nodes, without reading any from a disk. Ends at the
/// budget, with lower bounds.
///
/// # Errors
///
/// The path does not exist, has no pages, may not be seen, or does not answer.
pub fn read_page_cache(
    path: &Path,
    budget: Option<Duration>,
) -> Result<PageCacheDocument, PageCacheError> {
    let deadline = budget.map(|budget| Instant::now() + budget);
    let is_whole = Arc::new(AtomicBool::new(true));
    let (asked, whole) = (path.to_owned(), Arc::clone(&is_whole));
    let mut collected = Collected::default();
    let work = move |reporter: &Reporter<Finding>| {
        reporter.at(&asked);
        let goes_on = || deadline.is_none_or(|end| Instant::now() < end);
        whole.store(read(&asked, reporter, &goes_on)?, Ordering::Relaxed);
        Ok(())
    };
    watched(work, |finding| collected.add(finding))?;
    Ok(collected.into_document(path, is_whole.load(Ordering::Relaxed)))
}

/// Returns whether the time did not end before.
fn read(
    path: &Path,
    reporter: &Reporter<Finding>,
    goes_on: &dyn Fn() -> bool,
) -> Result<bool, PageCacheError> {
    let not_opened =
        |why: std::io::Error| PageCacheError::Open { path: path.to_owned(), why: why.to_string() };
    let metadata = path.metadata().map_err(not_opened)?;
    if let Some(kind) = kind_without_pages(path, &metadata) {
        return Err(PageCacheError::NoFile { path: path.to_owned(), kind });
    }
    if metadata.is_dir() {
        return Walk::new(path, metadata.dev(), reporter, goes_on).run();
    }
    let file = OpenFile::named(path)?;
    let mut goes_on = || {
        reporter.alive();
        goes_on()
    };
    let refused = |cause| PageCacheError::Refused { path: path.to_owned(), cause };
    let cache = file.read(&mut goes_on).map_err(refused)?;
    reporter.found(Ok(cache));
    Ok(true)
}
