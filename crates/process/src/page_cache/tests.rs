//! The page cache of real files on this machine, and moves on a machine that is made up.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::ops::Range;
use std::os::unix::fs::{FileExt, symlink};
use std::path::Path;
use std::time::{Duration, Instant};

use nearfar_model::{Bytes, NodeId, NodeSet};
use nearfar_place::{PlaceError, Residence, allowed_nodes};

use super::moving::PageMoves;
use super::window::{CachedPages, locate};
use super::*;

/// Two nodes: pages and their nodes; entering a page that is not cached would read it.
#[derive(Default)]
struct TwoNodes {
    pages: usize,
    on: RefCell<BTreeMap<usize, u32>>,
    entered: RefCell<Vec<usize>>,
    mapped_by_others: Vec<usize>,
    is_root: bool,
}

impl CachedPages for TwoNodes {
    fn cached(&self) -> Result<Vec<bool>, PlaceError> {
        Ok((0..self.pages).map(|page| self.on.borrow().contains_key(&page)).collect())
    }

    fn enter(&self, pages: Range<usize>) -> Result<(), PlaceError> {
        self.entered.borrow_mut().extend(pages);
        Ok(())
    }

    fn nodes(&self, pages: &[usize]) -> Result<Vec<Residence>, PlaceError> {
        let on = self.on.borrow();
        let node = |page| on.get(page).map_or(Residence::Absent, |id| Residence::Node(NodeId(*id)));
        Ok(pages.iter().map(node).collect())
    }

    fn relocate(
        &self,
        pages: &[(usize, NodeId)],
        shared: bool,
    ) -> Result<Vec<Residence>, PlaceError> {
        if shared && !self.is_root {
            return Err(PlaceError::NotPermitted { call: "move_pages" });
        }
        let mut on = self.on.borrow_mut();
        let mut relocate = |page: usize, node: NodeId| {
            if self.mapped_by_others.contains(&page) && !shared {
                return Residence::Unknown("mapped by others".to_owned());
            }
            on.insert(page, node.0);
            Residence::Node(node)
        };
        Ok(pages.iter().map(|(page, node)| relocate(*page, *node)).collect())
    }
}

fn four_pages(is_root: bool) -> TwoNodes {
    let on = RefCell::new([(1, 0), (2, 0), (5, 1), (6, 0)].into());
    TwoNodes { pages: 8, on, mapped_by_others: vec![6], is_root, ..TwoNodes::default() }
}

fn moved(window: &TwoNodes, nodes: &str) -> FileMove {
    let nodes = NodeSet::parse_list(nodes).unwrap();
    let mut moves = PageMoves::new(&nodes);
    moves.move_window(window).unwrap();
    moves.into_result(Path::new("model"))
}

fn pages(bytes: Bytes) -> u64 {
    bytes.0 / nearfar_place::page_size().0
}

#[test]
fn only_cached_pages_are_touched() {
    let window = four_pages(false);
    assert_eq!(locate(&window).unwrap().pages.len(), 4);
    assert_eq!(*window.entered.borrow(), [1, 2, 5, 6]);
}

#[test]
fn pages_move_and_those_of_others_stay() {
    let result = moved(&four_pages(false), "1");
    assert_eq!(pages(result.before.on(NodeId(0))), 3);
    assert_eq!((pages(result.moved_bytes), pages(result.after.on(NodeId(1)))), (2, 3));
    let [stayed] = &result.stayed[..] else { panic!("{result:?}") };
    assert_eq!((stayed.why.as_deref(), pages(stayed.bytes)), (Some("mapped by others"), 1));
}

#[test]
fn root_moves_those_of_others() {
    let result = moved(&four_pages(true), "1");
    assert_eq!((pages(result.moved_bytes), pages(result.after.on(NodeId(1)))), (3, 4));
    assert!(result.stayed.is_empty());
}

#[test]
fn pages_on_one_of_the_nodes_stay_there() {
    let result = moved(&four_pages(true), "0-1");
    assert_eq!((pages(result.moved_bytes), &result.before), (0, &result.after));
}

/// A file of 4 GiB with 3 cached parts.
fn sparse(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("sparse");
    let file = File::create(&path).unwrap();
    file.set_len(4 << 30).unwrap();
    for offset in [0, 1 << 30, (4 << 30) - (1 << 20)] {
        file.write_all_at(&vec![1; 1 << 20], offset).unwrap();
    }
    path
}

#[test]
fn a_sparse_file_is_read_in_its_cached_parts() {
    let folder = tempfile::tempdir().unwrap();
    let path = sparse(folder.path());
    let began = Instant::now();
    let document = read_page_cache(&path, None).unwrap();
    assert!(began.elapsed() < Duration::from_secs(10));
    assert_eq!((document.cached_bytes, document.by_node.total()), (Bytes::mib(3), Bytes::mib(3)));
    let nodes = allowed_nodes().unwrap();
    assert!(document.is_whole && document.by_node.nodes().is_subset(&nodes), "{document:?}");
    // It changes nothing: the second look finds the same.
    assert_eq!(read_page_cache(&path, None).unwrap().cached_bytes, Bytes::mib(3));
}

#[test]
fn a_cold_file_stays_cold() {
    // A file system with a disk: tmpfs would keep the pages.
    let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
    let path = folder.path().join("cold");
    let mut file = File::create(&path).unwrap();
    file.write_all(&vec![7; 8 << 20]).unwrap();
    file.sync_all().unwrap();
    let whole = Bytes::mib(8);
    assert_eq!(read_page_cache(&path, None).unwrap().cached_bytes, whole);
    let advice = rustix::fs::Advice::DontNeed;
    rustix::fs::fadvise(&file, 0, None, advice).unwrap();
    let cold = read_page_cache(&path, None).unwrap().cached_bytes;
    if cold == whole {
        return; // This file system keeps pages, whatever it is advised.
    }
    for _ in 0..3 {
        assert_eq!(read_page_cache(&path, None).unwrap().cached_bytes, cold);
    }
}

#[test]
fn a_directory_is_walked_without_links_and_other_things() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    fs::write(folder.path().join("small"), vec![1; 64 << 10]).unwrap();
    fs::write(inner.join("large"), vec![1; 128 << 10]).unwrap();
    fs::write(inner.join("empty"), "").unwrap();
    fs::hard_link(inner.join("large"), folder.path().join("same")).unwrap();
    symlink("/", inner.join("link")).unwrap();
    let fifo = rustix::fs::FileType::Fifo;
    let mode = rustix::fs::Mode::RUSR;
    rustix::fs::mknodat(rustix::fs::CWD, inner.join("fifo"), fifo, mode, 0).unwrap();
    let document = read_page_cache(folder.path(), Some(Duration::from_secs(60))).unwrap();
    assert_eq!((document.files_read, document.files_cached), (3, 2));
    assert_eq!(document.cached_bytes, Bytes::kib(192));
    assert_eq!(document.files[0].cached, Bytes::kib(128));
    assert!(document.is_whole && document.not_seen.is_empty());
    let error = read_page_cache(&inner.join("fifo"), None).unwrap_err().to_string();
    assert!(error.contains("is a FIFO"), "{error}");
}

#[test]
fn a_budget_that_is_over_gives_a_lower_bound() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x"), "1").unwrap();
    let document = read_page_cache(folder.path(), Some(Duration::ZERO)).unwrap();
    assert!(!document.is_whole);
    let file = read_page_cache(&folder.path().join("x"), Some(Duration::ZERO)).unwrap();
    assert!(!file.is_whole);
}

#[test]
fn absent_files_and_devices_are_refused() {
    for (path, why) in
        [("/no/such", "cannot open /no/such"), ("/dev/null", "/dev/null is a device")]
    {
        let error = read_page_cache(Path::new(path), None).unwrap_err().to_string();
        assert!(error.contains(why) && !error.contains('\n'), "{error}");
    }
    let nodes = allowed_nodes().unwrap();
    let error = move_files(&["/tmp".into()], &nodes).unwrap_err().to_string();
    assert!(error.contains("/tmp is a directory"), "{error}");
}

#[test]
fn a_deleted_file_is_read_by_its_descriptor() {
    use std::os::fd::AsRawFd;
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&vec![1; 1 << 20]).unwrap();
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    assert_eq!(read_page_cache(Path::new(&path), None).unwrap().cached_bytes, Bytes::mib(1));
}

#[test]
fn pages_move_to_the_node_where_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = sparse(folder.path());
    let nodes = allowed_nodes().unwrap();
    let document = move_files(&[path], &nodes).unwrap();
    assert!(document.is_complete());
    assert_eq!(document.files[0].after.on_any(&nodes), Bytes::mib(3));
}

#[test]
fn a_warmed_file_is_cached_whole() {
    // Its first half is cold, if the file system follows the advice.
    let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
    let path = folder.path().join("model");
    let mut file = File::create(&path).unwrap();
    file.write_all(&vec![1; 3 << 20]).unwrap();
    file.sync_all().unwrap();
    let half = std::num::NonZeroU64::new(1 << 20);
    rustix::fs::fadvise(&file, 0, half, rustix::fs::Advice::DontNeed).unwrap();
    let cold = read_page_cache(&path, None).unwrap().cached_bytes;
    let around = nearfar_machine::process::NodeSummaries::read(&nearfar_machine::Source::live());
    let nodes = allowed_nodes().unwrap();
    let mut warmed = Vec::new();
    let twice = [path.clone(), path];
    warm_files(&twice, &nodes, &around, |file| warmed.extend(file.cloned())).unwrap();
    assert_eq!((warmed.len(), warmed[0].read), (1, Bytes(Bytes::mib(3).0 - cold.0)));
    assert_eq!(warmed[0].now.by_node.on_any(&nodes), Bytes::mib(3));
}
