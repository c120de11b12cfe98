//! Which logical CPU is in which part, one line a part, as Coreinfo draws it.

use nearfar_model::{CpuId, CpuSet};
use nearfar_view::terminal::table::{Align, Table};

use crate::{Cache, CacheKind, Topology};

/// The most CPUs that are shown as stars; larger machines have lists.
const MAX_STARS: u32 = 64;

/// The maps of cores, packages, nodes and caches.
pub(super) fn text(topology: &Topology) -> String {
    let width = topology.cpus.last().map_or(0, |cpu| cpu.id.0 + 1);
    let cores = topology.cores().iter().enumerate().map(|(index, core)| {
        let threads = if core.cpus.len() > 1 {
            format!(" ({} threads)", core.cpus.len())
        } else {
            String::new()
        };
        (core.cpus.clone(), format!("core {index}{threads}"))
    });
    let packages = topology.packages().iter().enumerate();
    let packages =
        packages.map(|(index, package)| (package.cpus.clone(), format!("package {index}")));
    let nodes = topology.nodes.iter().filter(|node| node.online);
    let nodes = nodes.map(|node| (node.cpus.clone(), format!("node {}", node.id)));
    let caches = topology.caches.iter().map(|cache| (cache.cpus.clone(), cache_name(cache)));
    [
        map("core", width, cores),
        map("package", width, packages),
        map("node", width, nodes),
        map("cache", width, caches),
    ]
    .concat()
}

fn map(part: &str, width: u32, lines: impl Iterator<Item = (CpuSet, String)>) -> String {
    let mut table = Table::default();
    for (cpus, name) in lines {
        table.line([drawn(&cpus, width), name]);
    }
    format!("Logical CPU to {part}\n{}", table.text(&[Align::Left]))
}

fn drawn(cpus: &CpuSet, width: u32) -> String {
    if width <= MAX_STARS {
        return (0..width).map(|cpu| if cpus.contains(CpuId(cpu)) { '*' } else { '-' }).collect();
    }
    if cpus.is_empty() { "-".to_owned() } else { cpus.to_string() }
}

fn cache_name(cache: &Cache) -> String {
    let kind = match cache.kind {
        CacheKind::Data => "data",
        CacheKind::Instruction => "instruction",
        CacheKind::Unified => "unified",
    };
    let size = cache.size.map(|size| format!(", {size}"));
    let ways = cache.ways.map(|ways| format!(", {ways} ways"));
    let line = cache.line.map(|line| format!(", lines of {line}"));
    let facts: Vec<String> = [size, ways, line].into_iter().flatten().collect();
    format!("L{} {kind}{}", cache.level, facts.concat())
}
