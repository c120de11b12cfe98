//! Packages, dies, clusters, caches and cores in a few lines: equal parts share a line.

use std::collections::BTreeMap;

use nearfar_view::text::count;

use super::part::{Label, TopologyPart, tree};
use super::short_list;
use crate::{CacheKind, Topology};

/// How many parts of one kind are listed by their CPUs.
const MAX_LISTED: usize = 8;

/// The tree, then how many caches of each kind there are.
pub(super) fn text(topology: &Topology) -> String {
    let mut text = "Parts\n".to_owned();
    lines(&tree(topology), 1, Above { single: true, several: false }, &mut text);
    text + &caches(topology)
}

/// What stands above a line of the tree.
#[derive(Clone, Copy)]
struct Above {
    /// All parts above are single ones.
    single: bool,
    /// The line above speaks for several parts.
    several: bool,
}

/// One line for each kind of part within; of parts that look alike the first speaks for all. CPUs
/// are listed as long as all parts above are single ones.
fn lines(part: &TopologyPart, depth: usize, above: Above, text: &mut String) {
    for alike in part.alike() {
        let first = alike[0];
        let listed =
            if above.single && first.label != Label::Core { cpus(&alike) } else { String::new() };
        let each = if above.several { " in each" } else { "" };
        text.push_str(&format!(
            "{}{}{each}{listed}\n",
            "  ".repeat(depth),
            described(first, alike.len())
        ));
        let below = Above { single: above.single && alike.len() == 1, several: alike.len() > 1 };
        lines(first, depth + 1, below, text);
    }
}

fn described(part: &TopologyPart, number: usize) -> String {
    let counted = part.label.counted(number);
    match (&part.label, part.cpus.len()) {
        (Label::Core, threads @ 2..) => format!("{counted} x {}", count(threads, "thread")),
        _ => counted,
    }
}

fn cpus(alike: &[&TopologyPart]) -> String {
    let lists: Vec<String> =
        alike.iter().take(MAX_LISTED).map(|part| short_list(&part.cpus)).collect();
    let more = if alike.len() > MAX_LISTED { " | ..." } else { "" };
    format!(": CPUs {}{more}", lists.join(" | "))
}

/// "L1d 32 KiB x 48, L2 512 KiB x 48, L3 8 MiB x 16".
fn caches(topology: &Topology) -> String {
    let mut counts: BTreeMap<_, usize> = BTreeMap::new();
    for cache in &topology.caches {
        *counts.entry((cache.level, cache.kind, cache.size)).or_default() += 1;
    }
    let kinds: Vec<String> = counts
        .into_iter()
        .map(|((level, kind, size), number)| {
            let letter = match kind {
                CacheKind::Data => "d",
                CacheKind::Instruction => "i",
                CacheKind::Unified => "",
            };
            let size = size.map_or_else(|| "of unknown size".to_owned(), |size| size.to_string());
            format!("L{level}{letter} {size} x {number}")
        })
        .collect();
    if kinds.is_empty() { String::new() } else { format!("  caches: {}\n", kinds.join(", ")) }
}
