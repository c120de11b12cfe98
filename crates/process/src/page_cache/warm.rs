//! Reads files onto a program's nodes before it starts, and moves what is cached elsewhere.

use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use nearfar_machine::process::NodeSummaries;
use nearfar_model::{Bytes, NodeSet};

use super::error::PageCacheError;
use super::file::FileCache;
use super::moving::move_file;
use super::open_file::OpenFile;
use super::timeout::{Reporter, watched};

/// Bytes that are read at once.
const READ_AT_ONCE: usize = 1 << 20;
/// Reads between two signs of life.
const READS: u64 = 64;

/// A file whose pages were brought to nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarmedFile {
    /// Its pages now.
    pub now: FileCache,
    /// What was moved there from other nodes.
    pub moved: Bytes,
    /// What was not cached before, and was read.
    pub read: Bytes,
}

/// Brings the pages of files to these nodes. What is not cached is read, in a thread with this
/// thread's memory policy and CPUs; what is cached elsewhere is moved. `show` gets each result, and
/// none before the first.
///
/// # Errors
///
/// [`PageCacheError::NoSpace`] before anything is read; else as for [`super::move_files`].
pub fn warm_files(
    paths: &[PathBuf],
    nodes: &NodeSet,
    around: &NodeSummaries,
    mut show: impl FnMut(Option<&WarmedFile>),
) -> Result<(), PageCacheError> {
    let (asked, target, around) = (paths.to_vec(), nodes.clone(), around.clone());
    let work = move |reporter: &Reporter<Option<WarmedFile>>| {
        let mut cached = Vec::new();
        for path in &asked {
            reporter.at(path);
            cached.push(read_cache(&OpenFile::named(path)?, reporter)?);
        }
        check_space(&cached, &target, &around)?;
        reporter.found(None);
        asked.iter().zip(cached).try_for_each(|(path, before)| {
            reporter.at(path);
            reporter.found(Some(warm_file(path, &before, &target, reporter)?));
            Ok(())
        })
    };
    watched(work, |file| show(file.as_ref()))
}

fn read_cache(
    file: &OpenFile,
    reporter: &Reporter<Option<WarmedFile>>,
) -> Result<FileCache, PageCacheError> {
    let mut goes_on = || {
        reporter.alive();
        true
    };
    let refused = |cause| PageCacheError::Refused { path: file.path.clone(), cause };
    file.read(&mut goes_on).map_err(refused)
}

/// Whether what is missing on the nodes fits into their free memory and the cache of other files.
fn check_space(
    cached: &[FileCache],
    nodes: &NodeSet,
    around: &NodeSummaries,
) -> Result<(), PageCacheError> {
    let there = |file: &FileCache| file.by_node.on_any(nodes);
    let missing = |file: &FileCache| Bytes(file.size.0.saturating_sub(there(file).0));
    let (wanted, own): (Bytes, Bytes) =
        (cached.iter().map(missing).sum(), cached.iter().map(there).sum());
    let of_nodes = || around.nodes.iter().filter(|node| nodes.contains(node.id));
    let free: Option<Vec<Bytes>> = of_nodes().map(|node| node.free).collect();
    // Where the kernel reports no free memory, nothing is refused.
    let Some(free) = free.filter(|free| !free.is_empty()) else { return Ok(()) };
    let files: Bytes = of_nodes().filter_map(|node| node.file_cache).sum();
    let free: Bytes = free.into_iter().sum();
    let available = free + Bytes(files.0.saturating_sub(own.0));
    if wanted > available {
        return Err(PageCacheError::NoSpace { nodes: nodes.clone(), wanted, available });
    }
    Ok(())
}

fn warm_file(
    path: &Path,
    before: &FileCache,
    nodes: &NodeSet,
    reporter: &Reporter<Option<WarmedFile>>,
) -> Result<WarmedFile, PageCacheError> {
    let file = OpenFile::named(path)?;
    let moved = move_file(path, nodes, &|| reporter.alive())?.moved_bytes;
    read_all(&file, reporter)
        .map_err(|error| PageCacheError::Open { path: path.to_owned(), why: error.to_string() })?;
    let now = read_cache(&file, reporter)?;
    let read = Bytes(now.cached.0.saturating_sub(before.cached.0));
    Ok(WarmedFile { now, moved, read })
}

/// Reads a file: the kernel allocates its pages where this thread's policy selects.
fn read_all(file: &OpenFile, reporter: &Reporter<Option<WarmedFile>>) -> std::io::Result<()> {
    let mut buffer = vec![0; READ_AT_ONCE];
    let (mut offset, mut reads) = (0, 0);
    loop {
        let read = file.file.read_at(&mut buffer, offset)?;
        if read == 0 {
            return Ok(());
        }
        offset += read as u64;
        reads += 1;
        if reads % READS == 0 {
            reporter.alive();
        }
    }
}

#[cfg(test)]
mod tests {
    use nearfar_machine::Source;
    use nearfar_model::NodeId;

    use super::*;

    #[test]
    fn files_that_do_not_fit_are_refused_before_they_are_read() {
        let source = Source::from_files([
            ("/sys/devices/system/node/online", "0-1"),
            ("/sys/devices/system/node/node0/meminfo", "Node 0 MemFree: 8192 kB\n"),
            (
                "/sys/devices/system/node/node1/meminfo",
                "Node 1 MemFree: 1024 kB\nNode 1 Active(file): 512 kB\nNode 1 Inactive(file): 512 \
                 kB\n",
            ),
        ]);
        let around = NodeSummaries::read(&source);
        let check = |kib, nodes: &str| {
            let by_node = [(NodeId(1), Bytes::kib(256))].into_iter().collect();
            let file = FileCache { size: Bytes::kib(kib), by_node, ..FileCache::default() };
            check_space(&[file], &NodeSet::parse_list(nodes).unwrap(), &around)
        };
        assert!(check(2048, "1").is_ok());
        let error = check(2049, "1").unwrap_err().to_string();
        assert!(error.contains("nodes (1)") && error.contains("1.75 MiB"), "{error}");
        assert!(check(2049, "0-1").is_ok());
    }
}
