//! A captured machine in memory: an unpacked archive, or handwritten files.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::resolve::{PathEntry, resolve};
use super::{FileContents, FolderNames};

/// Maximum depth of a path; sysfs needs about 25.
const MAX_DEPTH: usize = 64;

/// Folders, files and links by name.
#[derive(Debug, PartialEq)]
pub(super) struct FileTree {
    top: FolderEntries,
}

type FolderEntries = BTreeMap<String, TreeNode>;

/// An entry of a folder.
#[derive(Debug, PartialEq)]
pub(super) enum TreeNode {
    Folder(FolderEntries),
    File(TreeFile),
    /// A file that was unreadable during the capture.
    Denied,
    Link(String),
}

impl TreeNode {
    /// What a file has.
    pub(super) fn content(&self) -> Option<&[u8]> {
        match self {
            Self::File(file) => Some(&file.content),
            Self::Folder(_) | Self::Denied | Self::Link(_) => None,
        }
    }
}

/// A file of a captured machine.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TreeFile {
    content: Arc<[u8]>,
    /// Its mode; none for a handwritten file.
    mode: Option<u32>,
}

impl TreeFile {
    pub(super) fn new(content: impl Into<Arc<[u8]>>, mode: Option<u32>) -> Self {
        Self { content: content.into(), mode }
    }
}

impl FileTree {
    pub(super) fn new() -> Self {
        Self { top: FolderEntries::new() }
    }

    /// Adds a folder, unless it exists.
    pub(super) fn add_folder(&mut self, path: &str) {
        if self.at(path).is_none() {
            self.put(path, TreeNode::Folder(FolderEntries::new()));
        }
    }

    /// Adds a hard link to an existing file.
    pub(super) fn add_name(&mut self, path: &str, existing: &str) {
        if let Some(TreeNode::File(file)) = self.at(existing) {
            let file = file.clone();
            self.put(path, TreeNode::File(file));
        }
    }

    /// The subtree of a folder.
    pub(super) fn below(mut self, folder: &str) -> Self {
        for name in parts(folder) {
            if let Some(TreeNode::Folder(inner)) = self.top.remove(name) {
                self.top = inner;
            }
        }
        self
    }

    /// The names of the folders in a folder, links not followed.
    pub(super) fn folders(&self, folder: &str) -> Vec<String> {
        let inner = self.branch(folder).into_iter().flatten();
        inner
            .filter(|(_, node)| matches!(node, TreeNode::Folder(_)))
            .map(|(name, _)| name.clone())
            .collect()
    }

    pub(super) fn contents(&self, path: &str) -> FileContents {
        match self.find(path) {
            Some(TreeNode::File(file)) => FileContents::Bytes(file.content.to_vec()),
            Some(TreeNode::Denied) => FileContents::Denied,
            _ => FileContents::Absent,
        }
    }

    /// The mode of a file, if the archive has one.
    pub(super) fn mode(&self, path: &str) -> Option<u32> {
        match self.find(path)? {
            TreeNode::File(file) => file.mode,
            TreeNode::Folder(_) | TreeNode::Denied | TreeNode::Link(_) => None,
        }
    }

    pub(super) fn list(&self, folder: &str) -> FolderNames {
        let Some(real) = self.real_path(folder) else { return FolderNames::Absent };
        match (self.branch(&real), self.at(&real)) {
            (Some(inner), _) => FolderNames::Names(inner.keys().cloned().collect()),
            // Captures store an unreadable folder as an unreadable file.
            (None, Some(TreeNode::Denied)) => FolderNames::Denied,
            (None, _) => FolderNames::Absent,
        }
    }

    pub(super) fn real_path(&self, path: &str) -> Option<String> {
        resolve(path, |here| self.entry(here))
    }

    pub(super) fn link(&self, path: &str) -> Option<String> {
        let (folder, name) = path.rsplit_once('/')?;
        match self.at(&format!("{}/{name}", self.real_path(folder)?))? {
            TreeNode::Link(target) => Some(target.clone()),
            TreeNode::Folder(_) | TreeNode::File(_) | TreeNode::Denied => None,
        }
    }

    /// The entry at a path. Links are resolved only if needed.
    fn find(&self, path: &str) -> Option<&TreeNode> {
        match self.at(path) {
            Some(node @ (TreeNode::File(_) | TreeNode::Denied | TreeNode::Folder(_))) => Some(node),
            Some(TreeNode::Link(_)) | None => self.at(&self.real_path(path)?),
        }
    }

    fn entry(&self, path: &str) -> Option<PathEntry> {
        Some(match self.at(path)? {
            TreeNode::Folder(_) | TreeNode::File(_) | TreeNode::Denied => PathEntry::Solid,
            TreeNode::Link(target) => PathEntry::Link(target.clone()),
        })
    }

    /// The entry at a path without links; `None` for the top itself.
    fn at(&self, path: &str) -> Option<&TreeNode> {
        let mut names = parts(path);
        let first = self.top.get(names.next()?)?;
        names.try_fold(first, |node, name| match node {
            TreeNode::Folder(inner) => inner.get(name),
            TreeNode::File(_) | TreeNode::Denied | TreeNode::Link(_) => None,
        })
    }

    fn branch(&self, folder: &str) -> Option<&FolderEntries> {
        match self.at(folder) {
            Some(TreeNode::Folder(inner)) => Some(inner),
            Some(_) => None,
            None => parts(folder).next().is_none().then_some(&self.top),
        }
    }

    /// Number of files, links and folders.
    pub(super) fn len(&self) -> usize {
        let mut count = 0;
        let mut waiting = vec![&self.top];
        while let Some(folder) = waiting.pop() {
            count += folder.len();
            waiting.extend(folder.values().filter_map(|node| match node {
                TreeNode::Folder(inner) => Some(inner),
                TreeNode::File(_) | TreeNode::Denied | TreeNode::Link(_) => None,
            }));
        }
        count
    }

    /// All files, links and empty folders with their paths, in order.
    pub(super) fn into_entries(self) -> Vec<(String, TreeNode)> {
        let mut entries = Vec::new();
        let mut waiting: Vec<(String, TreeNode)> =
            self.top.into_iter().rev().map(|(name, node)| (format!("/{name}"), node)).collect();
        while let Some((path, node)) = waiting.pop() {
            match node {
                TreeNode::Folder(inner) if !inner.is_empty() => waiting.extend(
                    inner.into_iter().rev().map(|(name, node)| (format!("{path}/{name}"), node)),
                ),
                other => entries.push((path, other)),
            }
        }
        entries
    }

    /// Adds an entry and its parents. Existing entries are replaced, as `tar -x` does; paths with
    /// `..` and too deep paths are skipped.
    pub(super) fn put(&mut self, path: &str, node: TreeNode) {
        let names: Vec<&str> = parts(path).collect();
        let Some((last, above)) = names.split_last() else { return };
        if names.len() > MAX_DEPTH || names.contains(&"..") {
            return;
        }
        let mut branch = &mut self.top;
        for name in above {
            let slot = branch
                .entry((*name).to_owned())
                .or_insert_with(|| TreeNode::Folder(FolderEntries::new()));
            if !matches!(slot, TreeNode::Folder(_)) {
                *slot = TreeNode::Folder(FolderEntries::new());
            }
            let TreeNode::Folder(inner) = slot else { return };
            branch = inner;
        }
        branch.insert((*last).to_owned(), node);
    }
}

fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|part| !matches!(*part, "" | "."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(tree: &FileTree, folder: &str) -> Vec<String> {
        match tree.list(folder) {
            FolderNames::Names(names) => names,
            other => panic!("{folder}: {other:?}"),
        }
    }

    fn file(content: &[u8]) -> TreeNode {
        TreeNode::File(TreeFile::new(content, Some(0o444)))
    }

    fn example() -> FileTree {
        let mut tree = FileTree::new();
        tree.put("top/sys/node/node0/distance", file(b"10"));
        tree.put("top/sys/cpu/cpu0/node0", TreeNode::Link("../../node/node0".to_owned()));
        tree.put("top/sys/out", TreeNode::Link("/../sys/node".to_owned()));
        tree.add_name("top/sys/again", "top/sys/node/node0/distance");
        tree.put("top/../../etc/passwd", file(b"no"));
        tree.add_folder("top/sys/empty/");
        tree.add_folder("./top/sys/./node/");
        tree
    }

    #[test]
    fn links_and_hard_links_lead_to_files() {
        let tree = example().below("top");
        for path in [
            "/sys/node/node0/distance",
            "/sys/cpu/cpu0/node0/distance",
            "/sys/out/node0/distance",
            "/sys/again",
        ] {
            assert_eq!(tree.contents(path), FileContents::Bytes(b"10".to_vec()), "{path}");
            assert_eq!(tree.mode(path), Some(0o444), "{path}");
        }
        assert_eq!(tree.contents("/sys/node"), FileContents::Absent);
        assert_eq!((tree.mode("/sys/node"), tree.mode("/sys/absent")), (None, None));
    }

    #[test]
    fn folders_list_what_they_hold() {
        let tree = example().below("top");
        assert_eq!(names(&tree, "/sys"), ["again", "cpu", "empty", "node", "out"]);
        assert_eq!(names(&tree, "/sys/out"), ["node0"]);
        assert_eq!(tree.folders("sys"), ["cpu", "empty", "node"]);
        assert!(tree.real_path("/sys/empty").is_some() && names(&tree, "/sys/empty").is_empty());
        assert_eq!(example().folders(""), ["top"]);
    }

    #[test]
    fn too_deep_paths_are_skipped() {
        let mut tree = FileTree::new();
        tree.put(&"a/".repeat(100_000), file(b"x"));
        assert!(names(&tree, "/").is_empty());
    }
}
