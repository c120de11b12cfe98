//! Packages, dies and cache groups of a survey, for any set of CPUs.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use nearfar_model::{CpuSet, NodeId, NodeSet};
use nearfar_survey::{CacheGroupPart, ClaimedNode, ClaimedParts, DiePart, EqualCaches, Survey};
use nearfar_view::draw::{CacheGroup, CachePart, Die};
use nearfar_view::text::{IN_A_LINE, or_empty, short_list};

use super::node_facts;

/// Nodes of a plan, and pairs of parts that are looked at: 4,096 CPUs in groups of 8 make four
/// million.
const MAX_NODES: usize = 4096;
const MAX_PAIRS: usize = 20_000_000;

/// Caches below the last level that the same CPUs have.
struct InnerCaches {
    cpus: CpuSet,
    /// The CPUs that share each; none where these are a core's.
    sharers: Option<usize>,
    names: Vec<String>,
}

/// The machine's parts that a survey lists.
pub(super) struct SurveyParts {
    parts: ClaimedParts,
    /// The nodes whose CPUs firmware claims to be nearest to memory without CPUs.
    nearest: BTreeMap<NodeId, NodeSet>,
}

impl SurveyParts {
    pub(super) fn from_survey(survey: &Survey) -> Self {
        let parts = survey.claims.parts.clone().unwrap_or_default();
        Self { parts, nearest: node_facts::nearest(&survey.claims) }
    }

    /// Why these parts and nodes cannot be drawn, if so; a document may claim anything.
    pub(super) fn obstacle(&self, nodes: &[ClaimedNode]) -> Option<String> {
        let ClaimedParts { packages, dies, cache_groups, cores, caches, .. } = &self.parts;
        let [packages, dies, groups, cores, caches] =
            [packages.len(), dies.len(), cache_groups.len(), cores.len(), caches.len()];
        let all: CpuSet = nodes.iter().flat_map(|node| node.cpus.iter()).collect();
        let pairs = [
            (nodes.len(), packages + dies + groups),
            (dies, groups),
            (groups, cores + caches),
            (all.len(), dies + groups),
        ];
        let are_few = pairs.iter().all(|(a, b)| a.saturating_mul(*b) <= MAX_PAIRS);
        if nodes.len() > MAX_NODES || !are_few {
            return Some(format!(
                "{} nodes, {packages} packages, {dies} dies, {groups} cache groups and {cores} \
                 cores are more than a plan can show.",
                nodes.len()
            ));
        }
        None
    }

    /// That CPUs are offline.
    pub(super) fn offline_note(&self) -> Option<String> {
        let offline = &self.parts.offline;
        let (noun, verb) = if offline.len() == 1 { ("CPU", "is") } else { ("CPUs", "are") };
        (!offline.is_empty())
            .then(|| format!("{noun} {} {verb} offline.", short_list(offline, IN_A_LINE)))
    }

    /// What "not allowed here" means, where it stands.
    pub(super) fn disallowed_note(&self) -> Option<String> {
        node_facts::disallowed_note(&self.parts)
    }

    /// Lines beneath a node's name.
    pub(super) fn facts(&self, node: &ClaimedNode) -> Vec<String> {
        node_facts::facts(node, &self.parts, &self.nearest)
    }

    /// The kinds of parts that the document lists.
    pub(super) fn kinds(&self) -> Vec<&'static str> {
        let ClaimedParts { packages, dies, cache_groups, .. } = &self.parts;
        let kinds = [
            (packages.is_empty(), "packages"),
            (dies.is_empty(), "dies"),
            (cache_groups.is_empty(), "groups of CPUs that share a last-level cache"),
        ];
        kinds.into_iter().filter(|(is_empty, _)| !is_empty).map(|(_, kind)| kind).collect()
    }

    /// Names and CPUs of the packages that the document lists.
    pub(super) fn listed_packages(&self) -> Vec<(String, CpuSet)> {
        // Some kernels number packages by addresses in firmware's tables.
        let name = |at: usize, id: Option<u32>| match id {
            None => format!("package {at} (no number)"),
            Some(id) if id as usize == at => format!("package {at}"),
            Some(id) => format!("package {at} (id {id})"),
        };
        self.parts
            .packages
            .iter()
            .enumerate()
            .map(|(at, part)| (name(at, part.id), part.cpus.clone()))
            .collect()
    }

    /// The same; where it lists none, one without a name that holds all CPUs.
    pub(super) fn packages(
        &self,
        nodes: &[&ClaimedNode],
        survey: &Survey,
    ) -> Vec<(String, CpuSet)> {
        let mut packages = self.listed_packages();
        let mut taken = CpuSet::new();
        for (_, cpus) in &mut packages {
            *cpus = cpus.difference(&taken);
            taken.extend(cpus.iter());
        }
        if !packages.is_empty() {
            return packages;
        }
        let node_cpus = nodes.iter().map(|node| &node.cpus);
        let row_cpus = survey.latency.rows.iter().map(|row| &row.cpus);
        let all: CpuSet = node_cpus.chain(row_cpus).flat_map(CpuSet::iter).collect();
        if all.is_empty() { Vec::new() } else { vec![(String::new(), all)] }
    }

    /// The dies that hold these CPUs, with their cache groups; one without a name where no die is
    /// listed.
    pub(super) fn dies(&self, cpus: &CpuSet) -> Vec<Die> {
        let die = |(die, cpus): (Option<&DiePart>, CpuSet)| {
            let name =
                die.map(|die| die.id.map_or_else(|| "die".to_owned(), |id| format!("die {id}")));
            Die { name: or_empty(name), groups: self.groups(&cpus) }
        };
        shares(cpus, &self.parts.dies, |die| &die.cpus).into_iter().map(die).collect()
    }

    /// Cache groups among these CPUs; all of them as one where no cache is listed.
    fn groups(&self, cpus: &CpuSet) -> Vec<CacheGroup> {
        let shares = shares(cpus, &self.parts.cache_groups, |group| &group.cpus);
        shares.into_iter().map(|(group, cpus)| self.group(group, &cpus)).collect()
    }

    fn group(&self, group: Option<&CacheGroupPart>, cpus: &CpuSet) -> CacheGroup {
        let cores =
            self.parts.cores.iter().filter(|core| !core.cpus.intersection(cpus).is_empty()).count();
        CacheGroup {
            cpus: cpus.clone(),
            cores: if cores == 0 { cpus.len() } else { cores },
            cache: or_empty(group.map(cache)),
            below: self.below(group.and_then(|group| group.level), cpus),
            inner: self.inner(group.and_then(|group| group.level), cpus),
        }
    }

    /// The caches below a group's: "each core: L2 1 MiB, L1d 32 KiB". Where cores differ, with the
    /// CPUs of each kind.
    fn inner(&self, last: Option<u32>, cpus: &CpuSet) -> Vec<String> {
        let threads = self.parts.cores.iter().find(|core| !core.cpus.is_disjoint(cpus));
        let threads = threads.map(|core| core.cpus.len());
        let mut kinds: Vec<InnerCaches> = Vec::new();
        let mut caches: Vec<&EqualCaches> = self.parts.caches.iter().collect();
        caches.sort_by_key(|cache| Reverse(cache.level));
        for cache in caches {
            let here = cache.cpus.intersection(cpus);
            if is_last(cache, last) || here.is_empty() {
                continue;
            }
            let sharers = (Some(cache.shared_by) != threads).then_some(cache.shared_by);
            match kinds.iter_mut().find(|kind| kind.cpus == here && kind.sharers == sharers) {
                Some(kind) => kind.names.push(inner_name(cache)),
                None => {
                    let names = vec![inner_name(cache)];
                    kinds.push(InnerCaches { cpus: here, sharers, names });
                }
            }
        }
        let written = kinds.iter().map(|kind| {
            let of = if kind.cpus == *cpus {
                String::new()
            } else {
                format!("CPUs {}, ", short_list(&kind.cpus, IN_A_LINE))
            };
            let each = match kind.sharers {
                None => "each core".to_owned(),
                Some(1) => "each CPU".to_owned(),
                Some(sharers) => format!("each {sharers} CPUs"),
            };
            format!("{of}{each}: {}", kind.names.join(", "))
        });
        let named = self.parts.cpu_kinds.iter().filter_map(|kind| {
            let here = kind.cpus.intersection(cpus);
            let list = short_list(&here, IN_A_LINE);
            (!here.is_empty()).then(|| format!("CPUs {list}: {}", kind.name))
        });
        written.chain(named).collect()
    }
}

/// The caches of one level and kind, outermost levels first.
struct SameCaches<'p> {
    cache: &'p EqualCaches,
    cpus_of_each: Vec<&'p CpuSet>,
}

impl SurveyParts {
    /// What is below a group's last cache: caches over those that share them, then cores.
    fn below(&self, last: Option<u32>, cpus: &CpuSet) -> Vec<CachePart> {
        let is_here = |each: &&CpuSet| each.is_subset(cpus);
        let cores = self.parts.cores.iter().map(|core| &core.cpus);
        let cores: Vec<&CpuSet> = cores.filter(is_here).collect();
        let inner = self.parts.caches.iter().filter(|cache| !is_last(cache, last));
        let mut levels: Vec<SameCaches<'_>> = inner
            .filter(|cache| !cache.cpus.is_disjoint(cpus))
            .map(|cache| {
                let is_its =
                    |core: &&&CpuSet| core.len() == cache.shared_by && core.is_subset(&cache.cpus);
                let cpus_of_each = match cache.each.is_empty() {
                    true => cores.iter().filter(is_its).copied().collect(),
                    false => cache.each.iter().filter(is_here).collect(),
                };
                SameCaches { cache, cpus_of_each }
            })
            .collect();
        // Documents of earlier releases do not list which CPUs share a cache of several cores.
        let is_unknown = |level: &SameCaches<'_>| {
            let known: CpuSet = level.cpus_of_each.iter().flat_map(|cpus| cpus.iter()).collect();
            known.intersection(cpus) != level.cache.cpus.intersection(cpus)
        };
        if levels.iter().any(is_unknown) {
            return Vec::new();
        }
        levels.sort_by_key(|SameCaches { cache, .. }| {
            (Reverse(cache.level), Reverse(cache.shared_by), cache.kind == "instruction")
        });
        let mut parts = parts_below(cpus, &levels, &cores);
        for part in &mut parts {
            let mut kinds = self.parts.cpu_kinds.iter();
            let kind = kinds.find(|kind| part.cpus.is_subset(&kind.cpus));
            part.kind = or_empty(kind.map(|kind| kind.name.clone()));
        }
        parts
    }
}

/// These CPUs by caches, the first of these levels outermost; the innermost parts are cores.
fn parts_below(cpus: &CpuSet, levels: &[SameCaches<'_>], cores: &[&CpuSet]) -> Vec<CachePart> {
    let within = |of_each: &[&CpuSet]| -> Vec<CpuSet> {
        of_each.iter().filter(|each| each.is_subset(cpus)).map(|each| (*each).clone()).collect()
    };
    let Some((first, inner)) = levels.split_first() else {
        let core = |cpus| CachePart { cpus, ..CachePart::default() };
        return within(cores).into_iter().map(core).collect();
    };
    let mut left = cpus.clone();
    let mut parts = Vec::new();
    for each in within(&first.cpus_of_each) {
        left = left.difference(&each);
        let below = parts_below(&each, inner, cores);
        parts.push(CachePart {
            cache: inner_name(first.cache),
            cpus: each,
            below,
            ..CachePart::default()
        });
    }
    if !left.is_empty() {
        parts.extend(parts_below(&left, inner, cores));
    }
    parts.sort_by_key(|part| part.cpus.first());
    parts
}

/// Whether this is the cache by which CPUs are grouped.
fn is_last(cache: &EqualCaches, last: Option<u32>) -> bool {
    Some(cache.level) == last && cache.kind != "instruction"
}

/// That nodes share CPUs, which are drawn in each of them.
pub(super) fn shared_note(nodes: &[ClaimedNode]) -> Option<String> {
    let (nodes, cpus) = shared_cpus(nodes)?;
    let cpus = short_list(&cpus, IN_A_LINE);
    Some(format!("Nodes {nodes} share CPUs {cpus}, as the kernel lists them."))
}

/// The nodes that share CPUs with others, and these CPUs.
fn shared_cpus(nodes: &[ClaimedNode]) -> Option<(NodeSet, CpuSet)> {
    let (mut all, mut shared) = (CpuSet::new(), CpuSet::new());
    for node in nodes {
        shared.extend(node.cpus.intersection(&all).iter());
        all.extend(node.cpus.iter());
    }
    let sharing = nodes.iter().filter(|node| !node.cpus.is_disjoint(&shared));
    let sharing = sharing.map(|node| node.id).collect();
    (!shared.is_empty()).then_some((sharing, shared))
}

/// CPUs by the parts that hold them, then those that none holds.
fn shares<'p, P>(
    cpus: &CpuSet,
    parts: &'p [P],
    cpus_of: fn(&P) -> &CpuSet,
) -> Vec<(Option<&'p P>, CpuSet)> {
    let mut left = cpus.clone();
    let mut shares = Vec::new();
    for part in parts {
        let here = cpus_of(part).intersection(&left);
        left = left.difference(&here);
        shares.push((Some(part), here));
    }
    shares.push((None, left));
    shares.retain(|(_, cpus)| !cpus.is_empty());
    shares
}

/// "L1d 32 KiB".
fn inner_name(cache: &EqualCaches) -> String {
    let kind = match cache.kind.as_str() {
        "data" => "d",
        "instruction" => "i",
        _ => "",
    };
    let size = cache.bytes.map_or_else(String::new, |bytes| format!(" {bytes}"));
    format!("L{}{kind}{size}", cache.level)
}

/// "L3 8 MiB".
fn cache(group: &CacheGroupPart) -> String {
    let Some(level) = group.level else { return String::new() };
    let size = group.bytes.map_or_else(String::new, |bytes| format!(" {bytes}"));
    format!("L{level}{size}")
}

/// By node, the name of the package that its CPUs are in; nothing where they are in several, or
/// unlisted.
pub(in crate::pictures) fn package_of_nodes(survey: &Survey) -> BTreeMap<u32, String> {
    let parts = SurveyParts::from_survey(survey);
    let packages = parts.listed_packages();
    let of = |node: &ClaimedNode| {
        let (name, _) = packages.iter().find(|(_, cpus)| node.cpus.difference(cpus).is_empty())?;
        (!node.cpus.is_empty()).then(|| (node.id.0, name.clone()))
    };
    survey.claims.nodes.iter().filter_map(of).collect()
}
