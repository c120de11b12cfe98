//! The modules of a crate, read from its source: who declares, brings in and names what. Tests are
//! left out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context;
use syn::visit::{self, Visit};
use syn::{Attribute, Ident, Item, ItemMod, UseTree, Visibility};

use crate::sources::read;

/// The modules of one crate; the first is its root.
pub(crate) struct Modules(Vec<Module>);

/// One module, in a file of its own or inside another's.
#[derive(Default)]
struct Module {
    file: PathBuf,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    /// What is declared here.
    items: Vec<String>,
    imports: Vec<Import>,
    /// Paths in code, beyond those of `use`.
    paths: Vec<Vec<String>>,
}

/// One name that a `use` brings in.
struct Import {
    /// As it is called here; `*` stands for all.
    name: String,
    path: Vec<String>,
    is_public: bool,
}

/// A file that takes something from another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Dependency {
    pub(crate) from: PathBuf,
    pub(crate) to: PathBuf,
    pub(crate) name: String,
}

impl Modules {
    /// Reads a crate from its root file (`lib.rs` or `main.rs`).
    pub(crate) fn read(root: &Path) -> anyhow::Result<Self> {
        let mut modules = Self(Vec::new());
        let folder = root.parent().context("a root without a folder")?;
        modules.read_file(root, folder, None)?;
        Ok(modules)
    }

    fn read_file(
        &mut self,
        file: &Path,
        folder: &Path,
        parent: Option<usize>,
    ) -> anyhow::Result<usize> {
        let source = syn::parse_file(&read(file)?)
            .with_context(|| format!("{} is no Rust", file.display()))?;
        self.add(file, folder, parent, &source.items)
    }

    /// Adds a module with these items. `folder` has the files of its children.
    fn add(
        &mut self,
        file: &Path,
        folder: &Path,
        parent: Option<usize>,
        items: &[Item],
    ) -> anyhow::Result<usize> {
        let index = self.0.len();
        self.0.push(Module { file: file.to_owned(), parent, ..Module::default() });
        items
            .iter()
            .filter(|item| !matches!(item, Item::Mod(_)))
            .for_each(|item| self.0[index].visit_item(item));
        for item in items {
            let Item::Mod(declared) = item else { continue };
            if is_test(&declared.attrs) {
                continue;
            }
            let name = declared.ident.to_string();
            let child = self.add_child(file, &folder.join(&name), index, declared)?;
            self.0[index].children.insert(name, child);
        }
        Ok(index)
    }

    fn add_child(
        &mut self,
        file: &Path,
        inner: &Path,
        parent: usize,
        declared: &ItemMod,
    ) -> anyhow::Result<usize> {
        if let Some((_, items)) = &declared.content {
            return self.add(file, inner, Some(parent), items);
        }
        let beside = inner.with_extension("rs");
        let own = if beside.exists() { beside } else { inner.join("mod.rs") };
        self.read_file(&own, inner, Some(parent))
    }

    /// Each file and what it takes from others of the crate, to where that is declared: re-exports
    /// lead on, and are no dependencies themselves. What a module takes from those that it stands
    /// in is none either: a parent and its children are one idea, which the parent's file explains.
    pub(crate) fn dependencies(&self) -> Vec<Dependency> {
        let mut dependencies = Vec::new();
        for (at, module) in self.0.iter().enumerate() {
            let private =
                module.imports.iter().filter(|import| !import.is_public).map(|import| &import.path);
            for path in private.chain(&module.paths) {
                let Some(to) = self.resolve(at, path) else { continue };
                if !self.is_in(at, &self.0[to].file) {
                    let name = path.last().cloned().unwrap_or_default();
                    dependencies.push(Dependency {
                        from: module.file.clone(),
                        to: self.0[to].file.clone(),
                        name,
                    });
                }
            }
        }
        dependencies.sort();
        dependencies.dedup();
        dependencies
    }

    /// Whether a module, or one that it stands in, is in this file.
    fn is_in(&self, at: usize, file: &Path) -> bool {
        self.0[at].file == file || self.0[at].parent.is_some_and(|parent| self.is_in(parent, file))
    }

    /// The module that declares what a path leads to; nothing for other crates' names.
    fn resolve(&self, at: usize, path: &[String]) -> Option<usize> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => Some(self.find(0, rest)),
            "self" => Some(self.find(at, rest)),
            "super" => match rest.first().is_some_and(|next| next == "super") {
                true => self.resolve(self.0[at].parent?, rest),
                false => Some(self.find(self.0[at].parent?, rest)),
            },
            name => match self.0[at].children.get(name) {
                Some(&child) => Some(self.find(child, rest)),
                None => {
                    // A module that a `use` brings in. Its own path never begins with its own name.
                    let brought = self.0[at].imports.iter().find(|import| import.name == name);
                    let path = &brought.filter(|import| import.path.first() != Some(first))?.path;
                    Some(self.find(self.resolve(at, path)?, rest))
                }
            },
        }
    }

    fn find(&self, at: usize, path: &[String]) -> usize {
        let Some((first, rest)) = path.split_first() else { return at };
        if let Some(&child) = self.0[at].children.get(first) {
            return self.find(child, rest);
        }
        if first == "*" || self.0[at].items.contains(first) {
            return at;
        }
        let mut brought = self.0[at].imports.iter().filter(|import| import.name == *first);
        if let Some(found) = brought.find_map(|import| self.resolve(at, &import.path)) {
            return found;
        }
        let all = self.0[at].imports.iter().filter(|import| import.name == "*");
        let modules = all.filter_map(|import| self.resolve(at, &import.path));
        modules
            .filter(|&module| module != at)
            .find(|&module| self.0[module].items.contains(first))
            .unwrap_or(at)
    }
}

/// Reads what the module's items declare, bring in and name.
impl Visit<'_> for Module {
    fn visit_item(&mut self, item: &Item) {
        let (name, attributes) = name_and_attributes(item);
        if !is_test(attributes) {
            self.items.extend(name.map(Ident::to_string));
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &syn::ItemUse) {
        let is_public = !matches!(item.vis, Visibility::Inherited);
        leaves(&item.tree, &mut Vec::new(), is_public, &mut self.imports);
    }

    fn visit_visibility(&mut self, _: &Visibility) {
        // `pub(in path)` names no dependency.
    }

    fn visit_impl_item(&mut self, item: &syn::ImplItem) {
        let is_of_tests = matches!(item, syn::ImplItem::Fn(method) if is_test(&method.attrs));
        if !is_of_tests {
            visit::visit_impl_item(self, item);
        }
    }

    /// What macros are given is not parsed: every `a::b::c` in it counts.
    fn visit_macro(&mut self, call: &syn::Macro) {
        let text = call.tokens.to_string().replace(" :: ", "::");
        let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
        let path = |word: &str| {
            word.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect()
        };
        self.paths.extend(words.filter(|word| word.contains("::")).map(path));
    }

    fn visit_path(&mut self, path: &syn::Path) {
        if path.segments.len() > 1 {
            self.paths
                .push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        }
        visit::visit_path(self, path);
    }
}

fn leaves(tree: &UseTree, before: &mut Vec<String>, is_public: bool, imports: &mut Vec<Import>) {
    let mut import = |name: String, last: Option<String>| {
        let path = before.iter().cloned().chain(last).collect();
        imports.push(Import { name, path, is_public });
    };
    match tree {
        UseTree::Name(leaf) if leaf.ident == "self" => {
            import(before.last().cloned().unwrap_or_default(), None);
        }
        UseTree::Name(leaf) => import(leaf.ident.to_string(), Some(leaf.ident.to_string())),
        UseTree::Rename(leaf) => import(leaf.rename.to_string(), Some(leaf.ident.to_string())),
        UseTree::Glob(_) => import("*".to_owned(), None),
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            leaves(&path.tree, before, is_public, imports);
            before.pop();
        }
        UseTree::Group(group) => {
            group.items.iter().for_each(|tree| leaves(tree, before, is_public, imports));
        }
    }
}

/// Whether an item is compiled for tests only.
pub(crate) fn is_test(attributes: &[Attribute]) -> bool {
    let of_tests = |attribute: &Attribute| match &attribute.meta {
        syn::Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        meta => meta.path().is_ident("test"),
    };
    attributes.iter().any(of_tests)
}

/// What an item declares, other than a module, and its attributes.
pub(crate) fn name_and_attributes(item: &Item) -> (Option<&Ident>, &[Attribute]) {
    match item {
        Item::Const(item) => (Some(&item.ident), &item.attrs),
        Item::Enum(item) => (Some(&item.ident), &item.attrs),
        Item::Fn(item) => (Some(&item.sig.ident), &item.attrs),
        Item::Impl(item) => (None, &item.attrs),
        Item::Macro(item) => (item.ident.as_ref(), &item.attrs),
        Item::Mod(item) => (None, &item.attrs),
        Item::Static(item) => (Some(&item.ident), &item.attrs),
        Item::Struct(item) => (Some(&item.ident), &item.attrs),
        Item::Trait(item) => (Some(&item.ident), &item.attrs),
        Item::Type(item) => (Some(&item.ident), &item.attrs),
        Item::Union(item) => (Some(&item.ident), &item.attrs),
        Item::Use(item) => (None, &item.attrs),
        _ => (None, &[]),
    }
}
