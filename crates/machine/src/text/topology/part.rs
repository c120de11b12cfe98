//! The parts of a machine as a tree, by which CPUs hold which.

use std::collections::BTreeSet;

use nearfar_model::CpuSet;

use crate::{CacheKind, Topology};

/// A package, die, cluster, shared cache or core, and the parts within.
pub(super) struct TopologyPart {
    pub(super) label: Label,
    pub(super) cpus: CpuSet,
    pub(super) within: Vec<TopologyPart>,
}

/// What a part is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Label {
    Machine,
    /// A package, with the caches that all of it shares.
    Package(String),
    Die(String),
    Cluster(String),
    /// A cache that several cores share, with its level: "L3 cache of 32 MiB".
    Cache(u32, String),
    Core,
}

/// The tree of a machine. Parts that hold just what another holds are one with it: a die that is
/// its whole package, a cache of one core (its core has it), an L3 of a whole package.
pub(super) fn tree(topology: &Topology) -> TopologyPart {
    let mut machine =
        TopologyPart { label: Label::Machine, cpus: topology.online(), within: Vec::new() };
    for part in sorted_parts(topology) {
        machine.take(part);
    }
    machine
}

/// Large parts before the small ones that they hold.
fn sorted_parts(topology: &Topology) -> Vec<TopologyPart> {
    let part = |label: Label, cpus: &CpuSet| TopologyPart {
        label,
        cpus: cpus.clone(),
        within: Vec::new(),
    };
    let cores: BTreeSet<&CpuSet> = topology.cores().iter().map(|core| &core.cpus).collect();
    let mut groups: Vec<TopologyPart> = Vec::new();
    groups.extend(topology.dies().iter().map(|die| part(Label::Die(String::new()), &die.cpus)));
    groups.extend(
        topology
            .clusters()
            .iter()
            .map(|cluster| part(Label::Cluster(String::new()), &cluster.cpus)),
    );
    let caches = topology
        .caches
        .iter()
        .filter(|cache| cache.level > 1 && cache.kind != CacheKind::Instruction);
    groups.extend(caches.map(|cache| {
        let size = cache.size.map_or_else(|| "unknown size".to_owned(), |size| size.to_string());
        let name = format!("L{} cache of {size}", cache.level);
        part(Label::Cache(cache.level, name), &cache.cpus)
    }));
    let packages = topology.packages();
    // A package of one core keeps the cache that the others share.
    let shared = |level: u32| {
        let mut caches = topology.caches.iter().filter(|cache| cache.level == level);
        level > 2 || caches.any(|cache| !cores.contains(&cache.cpus))
    };
    let is_of_package = |group: &TopologyPart| match group.label {
        Label::Cache(level, _) => {
            shared(level) && packages.iter().any(|package| package.cpus == group.cpus)
        }
        _ => false,
    };
    groups.retain(|group| !cores.contains(&group.cpus) || is_of_package(group));
    groups
        .extend(packages.iter().map(|package| part(Label::Package(String::new()), &package.cpus)));
    groups.extend(cores.into_iter().map(|cpus| part(Label::Core, cpus)));
    groups.sort_by(|a, b| {
        let key = |part: &TopologyPart| {
            (std::cmp::Reverse(part.cpus.len()), part.label.clone(), part.cpus.first())
        };
        key(a).cmp(&key(b))
    });
    groups
}

impl TopologyPart {
    /// Puts a part where it belongs. One that straddles others stays beside them.
    fn take(&mut self, part: TopologyPart) {
        if let Some(inner) = self.within.iter_mut().find(|inner| part.cpus.is_subset(&inner.cpus)) {
            return inner.take(part);
        }
        let same = self.cpus == part.cpus;
        match (&mut self.label, &part.label) {
            (
                Label::Package(caches) | Label::Die(caches) | Label::Cluster(caches),
                Label::Cache(_, cache),
            ) if same => {
                caches.push_str(&format!(" with {cache}"));
            }
            (
                Label::Package(_) | Label::Die(_) | Label::Cluster(_),
                Label::Die(_) | Label::Cluster(_),
            ) if same => {}
            _ => self.within.push(part),
        }
    }

    /// A text that is the same for parts that look alike.
    pub(super) fn shape(&self) -> String {
        let within: Vec<String> = self
            .alike()
            .iter()
            .map(|alike| format!("{}x{}", alike.len(), alike[0].shape()))
            .collect();
        format!("{}/{}[{}]", self.label.name(), self.cpus.len(), within.join(" "))
    }

    /// The parts within, those that look alike together, in the order of their first CPUs.
    pub(super) fn alike(&self) -> Vec<Vec<&TopologyPart>> {
        let mut groups: Vec<(String, Vec<&TopologyPart>)> = Vec::new();
        let mut within: Vec<&TopologyPart> = self.within.iter().collect();
        within.sort_by_key(|part| part.cpus.first());
        for part in within {
            let shape = part.shape();
            match groups.iter_mut().find(|(known, _)| *known == shape) {
                Some((_, group)) => group.push(part),
                None => groups.push((shape, vec![part])),
            }
        }
        groups.into_iter().map(|(_, group)| group).collect()
    }
}

impl Label {
    /// What it is called, with its caches.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Machine => "machine".to_owned(),
            Self::Package(caches) => format!("package{caches}"),
            Self::Die(caches) => format!("die{caches}"),
            Self::Cluster(caches) => format!("cluster{caches}"),
            Self::Cache(_, name) => name.clone(),
            Self::Core => "core".to_owned(),
        }
    }

    /// The number of parts: "2 packages", "4 packages, each with L3 cache of 8 MiB".
    pub(super) fn counted(&self, count: usize) -> String {
        let name = self.name();
        if count == 1 {
            return format!("1 {name}");
        }
        match name.split_once(' ') {
            // "L3 cache of 8 MiB": the noun is the second word.
            Some(("L2" | "L3" | "L4", _)) => {
                format!("{count} {}", name.replacen(" cache", " caches", 1))
            }
            Some((noun, caches)) => format!("{count} {noun}s, each {caches}"),
            None => format!("{count} {name}s"),
        }
    }
}
