//! PPTT: groups of processors as a tree, each with the caches that are its own.

use std::collections::{BTreeMap, BTreeSet};

use crate::acpi::{Pptt, PpttCache, PpttStructure, ProcessorHierarchy};

use super::fields::{known, size, table};
use super::remains;

/// How deep the tree is followed; processors nest some 5 deep.
const MAX_LEVELS: usize = 16;

pub(super) fn sections(pptt: &Pptt) -> Vec<String> {
    vec![ProcessorTree::from_pptt(pptt).text(), caches(pptt), remains::entries(&pptt.entries)]
}

/// Groups by the group they belong to.
#[derive(Default)]
struct ProcessorTree<'a> {
    groups: BTreeMap<usize, &'a ProcessorHierarchy>,
    below: BTreeMap<usize, Vec<usize>>,
    caches: BTreeMap<usize, &'a PpttCache>,
}

impl<'a> ProcessorTree<'a> {
    fn from_pptt(pptt: &'a Pptt) -> Self {
        let mut tree = Self::default();
        for (offset, structure) in known(&pptt.entries) {
            match structure {
                PpttStructure::Processor(group) => {
                    tree.groups.insert(offset, group);
                    tree.below.entry(group.parent as usize).or_default().push(offset);
                }
                PpttStructure::Cache(cache) => {
                    tree.caches.insert(offset, cache);
                }
                PpttStructure::Vendor(_) => {}
            }
        }
        tree
    }

    fn text(&self) -> String {
        if self.groups.is_empty() {
            return String::new();
        }
        let mut text =
            "Groups of processors, with the caches that each has for itself\n".to_owned();
        let mut shown = BTreeSet::new();
        for &top in self.below.get(&0).into_iter().flatten() {
            self.lines(top, 1, &mut shown, &mut text);
        }
        if shown.len() < self.groups.len() {
            text += "Groups whose way up leads nowhere, or in a circle\n";
        }
        for &offset in self.groups.keys() {
            self.lines(offset, 1, &mut shown, &mut text);
        }
        text
    }

    /// A group and those within it. `shown` keeps circles from going round.
    fn lines(&self, offset: usize, level: usize, shown: &mut BTreeSet<usize>, text: &mut String) {
        let Some(group) = self.groups.get(&offset) else { return };
        if level > MAX_LEVELS || !shown.insert(offset) {
            return;
        }
        text.push_str(&format!(
            "{}{}{} (offset {offset})\n",
            "  ".repeat(level),
            name(group),
            self.resources(group)
        ));
        for &within in self.below.get(&offset).into_iter().flatten() {
            self.lines(within, level + 1, shown, text);
        }
    }

    /// ", L1d 32 KiB, unified 1 MiB".
    fn resources(&self, group: &ProcessorHierarchy) -> String {
        let caches =
            group.resources.iter().filter_map(|&offset| self.caches.get(&(offset as usize)));
        caches.map(|cache| format!(", {}", cache_name(cache))).collect()
    }
}

fn name(group: &ProcessorHierarchy) -> String {
    let what = match (group.is_package, group.is_leaf, group.is_thread) {
        (true, true, _) => "package of one processor",
        (true, false, _) => "package",
        (false, true, true) => "thread",
        (false, true, false) => "processor",
        (false, false, _) => "group",
    };
    let uid = if group.processor_uid_valid {
        format!(" UID {}", group.processor_uid)
    } else {
        String::new()
    };
    format!("{what}{uid}")
}

fn cache_name(cache: &PpttCache) -> String {
    let size =
        if cache.flags & 1 != 0 { size(cache.size_bytes) } else { "of unknown size".to_owned() };
    format!("{} cache {size}", kind(cache))
}

/// The attributes that the flags mark as valid (ACPI 6.5, table 5.157).
fn kind(cache: &PpttCache) -> &'static str {
    match (cache.flags & 0x10 != 0, cache.attributes >> 2 & 3) {
        (false, _) => "some",
        (true, 0) => "data",
        (true, 1) => "instruction",
        (true, _) => "unified",
    }
}

fn caches(pptt: &Pptt) -> String {
    let line = |(offset, structure): (usize, &PpttStructure)| {
        let PpttStructure::Cache(cache) = structure else { return None };
        let if_valid = |bit: u32, text: String| {
            if cache.flags >> bit & 1 != 0 { text } else { "-".to_owned() }
        };
        let next =
            if cache.next_level == 0 { "memory".to_owned() } else { cache.next_level.to_string() };
        Some([
            offset.to_string(),
            kind(cache).to_owned(),
            if_valid(0, size(cache.size_bytes)),
            if_valid(1, cache.sets.to_string()),
            if_valid(2, cache.ways.to_string()),
            if_valid(6, size(cache.line_bytes)),
            if_valid(5, if cache.attributes & 0x10 != 0 { "through" } else { "back" }.to_owned()),
            next,
        ])
    };
    let heads = [">offset", "kind", ">size", ">sets", ">ways", ">line", "writes", "next"];
    table("Caches", heads, known(&pptt.entries).filter_map(line).collect())
}
