//! Reads files onto a program's nodes before it starts, and moves what is cached elsewhere.

use std::collections::BTreeSet;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::PathBuf;

use nearfar_machine::process::NodeSummaries;
use nearfar_model::{Bytes, NodeSet};

use super::error::PageCacheError;
use super::file::FileCache;
use super::moving::move_file;
use super::open_file::OpenFile;
use super::timeout::{Reporter, watched};

/// Bytes that are read at once.
const READ_AT_ONCE: usize = 1 << 20;

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
        let files = opened(&asked, reporter)?;
        check_size(&files, &target, &around)?;
        let cached = files.iter().map(|file| read_cache(file, reporter));
        let cached: Vec<FileCache> = cached.collect::<Result<_, _>>()?;
        check_space(&cached, &target, &around)?;
        reporter.found(None);
        files.iter().zip(cached).try_for_each(|(file, before)| {
            reporter.at(&file.path);
            reporter.found(Some(warm_file(file, &before, &target, reporter)?));
            Ok(())
        })
    };
    watched(work, |file| show(file.as_ref()))
}

/// The files, each once: one may have several names.
fn opened(
    paths: &[PathBuf],
    reporter: &Reporter<Option<WarmedFile>>,
) -> Result<Vec<OpenFile>, PageCacheError> {
    let (mut files, mut known) = (Vec::new(), BTreeSet::new());
    for path in paths {
        reporter.at(path);
        let file = OpenFile::named(path)?;
        let metadata = file.file.metadata();
        if metadata.map_or(true, |metadata| known.insert((metadata.dev(), metadata.ino()))) {
            files.push(file);
        }
    }
    Ok(files)
}

/// Whether files are no larger than all memory of the nodes, before any is looked at.
fn check_size(
    files: &[OpenFile],
    nodes: &NodeSet,
    around: &NodeSummaries,
) -> Result<(), PageCacheError> {
    let of_nodes = around.nodes.iter().filter(|node| nodes.contains(node.id));
    let Some(available) = of_nodes.map(|node| node.total).sum::<Option<Bytes>>() else {
        return Ok(());
    };
    let wanted = Bytes(files.iter().fold(0, |sum, file| sum.saturating_add(file.size)));
    if wanted > available {
        return Err(PageCacheError::NoSpace { nodes: nodes.clone(), wanted, available });
    }
    Ok(())
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

/// Whether what is missing on the nodes fits into what they have available, beside what these files
/// have there already.
fn check_space(
    cached: &[FileCache],
    nodes: &NodeSet,
    around: &NodeSummaries,
) -> Result<(), PageCacheError> {
    let there = |file: &FileCache| file.by_node.on_any(nodes);
    let missing = |file: &FileCache| Bytes(file.size.0.saturating_sub(there(file).0));
    let (wanted, own): (Bytes, Bytes) =
        (cached.iter().map(missing).sum(), cached.iter().map(there).sum());
    let of_nodes = around.nodes.iter().filter(|node| nodes.contains(node.id));
    // Where the kernel does not show it, nothing is refused.
    let Some(all) = of_nodes.map(|node| node.available).sum::<Option<Bytes>>() else {
        return Ok(());
    };
    let available = Bytes(all.0.saturating_sub(own.0));
    if wanted > available {
        return Err(PageCacheError::NoSpace { nodes: nodes.clone(), wanted, available });
    }
    Ok(())
}

fn warm_file(
    file: &OpenFile,
    before: &FileCache,
    nodes: &NodeSet,
    reporter: &Reporter<Option<WarmedFile>>,
) -> Result<WarmedFile, PageCacheError> {
    let moved = move_file(&file.path, nodes, &|| reporter.alive())?.moved_bytes;
    read_all(file, reporter).map_err(|error| PageCacheError::Open {
        path: file.path.clone(),
        why: error.to_string(),
    })?;
    let now = read_cache(file, reporter)?;
    let read = Bytes(now.cached.0.saturating_sub(before.cached.0));
    Ok(WarmedFile { now, moved, read })
}

/// Reads a file: the kernel allocates its pages where this thread's policy selects.
fn read_all(file: &OpenFile, reporter: &Reporter<Option<WarmedFile>>) -> std::io::Result<()> {
    let mut buffer = vec![0; READ_AT_ONCE];
    let mut offset = 0;
    loop {
        let read = file.file.read_at(&mut buffer, offset)?;
        if read == 0 {
            return Ok(());
        }
        offset += read as u64;
        reporter.alive();
    }
}

#[cfg(test)]
mod tests {
    use nearfar_machine::Source;
    use nearfar_model::NodeId;

    use super::*;

    #[test]
    fn files_that_do_not_fit_are_refused_before_they_are_read() {
        let zone = |node: u32, free: u32, files: u32| {
            format!(
                "Node {node}, zone Normal\nnr_inactive_file {files}\npages free {free}\nmanaged \
                 4096\n"
            )
        };
        let source = Source::from_files([
            ("/sys/devices/system/node/online", "0-1".to_owned()),
            ("/sys/devices/system/node/node0/meminfo", "Node 0 MemTotal: 16384 kB\n".to_owned()),
            ("/sys/devices/system/node/node1/meminfo", "Node 1 MemTotal: 16384 kB\n".to_owned()),
            ("/proc/zoneinfo", zone(0, 2048, 0) + &zone(1, 256, 256)),
        ]);
        let around = NodeSummaries::read_with_available(&source);
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
