//! A captured machine in memory: an unpacked archive, or files written by hand.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Contents;
use super::resolve::{Entry, resolve};

/// The deepest path that is kept; sysfs needs some 25.
const MOST_DEPTH: usize = 64;

/// Folders, files and links by name.
#[derive(Debug, PartialEq)]
pub(super) struct Tree {
    top: Branch,
}

type Branch = BTreeMap<String, Node>;

/// What has a name in a folder.
#[derive(Debug, PartialEq)]
pub(super) enum Node {
    Folder(Branch),
    File(Arc<[u8]>),
    /// A file that whoever captured the machine could not read.
    Denied,
    Link(String),
}

impl Tree {
    pub(super) fn new() -> Self {
        Self { top: Branch::new() }
    }

    /// A folder, empty unless it was there before.
    pub(super) fn add_folder(&mut self, path: &str) {
        if self.at(path).is_none() {
            self.put(path, Node::Folder(Branch::new()));
        }
    }

    /// A second name for a file that is already there (a hard link).
    pub(super) fn add_name(&mut self, path: &str, existing: &str) {
        if let Some(Node::File(content)) = self.at(existing) {
            let content = Arc::clone(content);
            self.put(path, Node::File(content));
        }
    }

    /// The tree below one of its folders, as a tree of its own.
    pub(super) fn below(mut self, folder: &str) -> Self {
        for name in parts(folder) {
            if let Some(Node::Folder(inner)) = self.top.remove(name) {
                self.top = inner;
            }
        }
        self
    }

    /// The names of the folders in a folder, links not followed.
    pub(super) fn folders(&self, folder: &str) -> Vec<String> {
        let inner = self.branch(folder).into_iter().flatten();
        inner
            .filter(|(_, node)| matches!(node, Node::Folder(_)))
            .map(|(name, _)| name.clone())
            .collect()
    }

    pub(super) fn contents(&self, path: &str) -> Contents {
        match self.find(path) {
            Some(Node::File(content)) => Contents::Bytes(content.to_vec()),
            Some(Node::Denied) => Contents::Denied,
            _ => Contents::Absent,
        }
    }

    pub(super) fn list(&self, folder: &str) -> Vec<String> {
        let branch = self.real_path(folder).and_then(|real| self.branch(&real));
        branch.map(|inner| inner.keys().cloned().collect()).unwrap_or_default()
    }

    pub(super) fn real_path(&self, path: &str) -> Option<String> {
        resolve(path, |here| self.entry(here))
    }

    /// What a path leads to. Most lead straight there; only the others are followed link by link.
    fn find(&self, path: &str) -> Option<&Node> {
        match self.at(path) {
            Some(node @ (Node::File(_) | Node::Denied | Node::Folder(_))) => Some(node),
            Some(Node::Link(_)) | None => self.at(&self.real_path(path)?),
        }
    }

    fn entry(&self, path: &str) -> Option<Entry> {
        Some(match self.at(path)? {
            Node::Folder(_) | Node::File(_) | Node::Denied => Entry::Solid,
            Node::Link(target) => Entry::Link(target.clone()),
        })
    }

    /// What stands at a path without links; the top itself is no node.
    fn at(&self, path: &str) -> Option<&Node> {
        let mut names = parts(path);
        let first = self.top.get(names.next()?)?;
        names.try_fold(first, |node, name| match node {
            Node::Folder(inner) => inner.get(name),
            Node::File(_) | Node::Denied | Node::Link(_) => None,
        })
    }

    fn branch(&self, folder: &str) -> Option<&Branch> {
        match self.at(folder) {
            Some(Node::Folder(inner)) => Some(inner),
            Some(_) => None,
            None => parts(folder).next().is_none().then_some(&self.top),
        }
    }

    /// Puts a node in its place and makes the folders above. What is in the way is replaced, as
    /// `tar -x` does; names that lead upwards and absurd depths are left out.
    pub(super) fn put(&mut self, path: &str, node: Node) {
        let names: Vec<&str> = parts(path).collect();
        let Some((last, above)) = names.split_last() else { return };
        if names.len() > MOST_DEPTH || names.contains(&"..") {
            return;
        }
        let mut branch = &mut self.top;
        for name in above {
            let slot =
                branch.entry((*name).to_owned()).or_insert_with(|| Node::Folder(Branch::new()));
            if !matches!(slot, Node::Folder(_)) {
                *slot = Node::Folder(Branch::new());
            }
            let Node::Folder(inner) = slot else { return };
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

    fn example() -> Tree {
        let mut tree = Tree::new();
        tree.put("top/sys/node/node0/distance", Node::File((*b"10").into()));
        tree.put("top/sys/cpu/cpu0/node0", Node::Link("../../node/node0".to_owned()));
        tree.put("top/sys/out", Node::Link("/../sys/node".to_owned()));
        tree.add_name("top/sys/again", "top/sys/node/node0/distance");
        tree.put("top/../../etc/passwd", Node::File((*b"no").into()));
        tree.add_folder("top/sys/empty/");
        tree.add_folder("./top/sys/./node/");
        tree
    }

    #[test]
    fn links_and_second_names_lead_to_files() {
        let tree = example().below("top");
        for path in [
            "/sys/node/node0/distance",
            "/sys/cpu/cpu0/node0/distance",
            "/sys/out/node0/distance",
            "/sys/again",
        ] {
            assert_eq!(tree.contents(path), Contents::Bytes(b"10".to_vec()), "{path}");
        }
        assert_eq!(tree.contents("/sys/node"), Contents::Absent);
    }

    #[test]
    fn folders_list_what_they_hold() {
        let tree = example().below("top");
        assert_eq!(tree.list("/sys"), ["again", "cpu", "empty", "node", "out"]);
        assert_eq!(tree.list("/sys/out"), ["node0"]);
        assert_eq!(tree.folders("sys"), ["cpu", "empty", "node"]);
        assert!(tree.real_path("/sys/empty").is_some() && tree.list("/sys/empty").is_empty());
        assert_eq!(example().folders(""), ["top"]);
    }

    #[test]
    fn absurd_depths_are_left_out() {
        let mut tree = Tree::new();
        tree.put(&"a/".repeat(100_000), Node::File((*b"x").into()));
        assert!(tree.list("/").is_empty());
    }
}
