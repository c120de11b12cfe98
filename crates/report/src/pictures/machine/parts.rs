//! Packages, dies and cache groups of a survey, for any set of CPUs.

use std::collections::BTreeMap;

use nearfar_draw::{CacheGroup, Die};
use nearfar_model::CpuSet;
use nearfar_survey::{CacheGroupPart, ClaimedNode, ClaimedParts, DiePart, Survey};

use crate::optional::or_empty;
use crate::short_list::{IN_A_LINE, short_list};

/// Nodes of a plan, and pairs of parts that are looked at: 4,096 CPUs in groups of 8 make four
/// million.
const MOST_NODES: usize = 4096;
const MOST_PAIRS: usize = 20_000_000;

/// The machine's parts that a survey lists.
pub(super) struct SurveyParts {
    parts: ClaimedParts,
}

impl SurveyParts {
    pub(super) fn from_survey(survey: &Survey) -> Self {
        Self { parts: survey.claims.parts.clone().unwrap_or_default() }
    }

    /// Whether these parts and nodes are within what machines have; a document may claim anything.
    pub(super) fn can_be_drawn(&self, nodes: &[ClaimedNode]) -> bool {
        let all: CpuSet = nodes.iter().flat_map(|node| node.cpus.iter()).collect();
        let in_nodes: usize = nodes.iter().map(|node| node.cpus.len()).sum();
        let ClaimedParts { packages, dies, cache_groups, cores } = &self.parts;
        let [packages, dies, groups, cores] =
            [packages.len(), dies.len(), cache_groups.len(), cores.len()];
        let pairs = [
            (nodes.len(), packages + dies + groups),
            (dies, groups),
            (groups, cores),
            (all.len(), dies + groups),
        ];
        nodes.len() <= MOST_NODES
            && in_nodes == all.len()
            && pairs.iter().all(|(a, b)| a.saturating_mul(*b) <= MOST_PAIRS)
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
        let name = |at: usize, id: Option<u32>| {
            id.map_or_else(|| format!("package {at} (no number)"), |id| format!("package {id}"))
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
        let of_nodes = nodes.iter().map(|node| &node.cpus);
        let of_rows = survey.latency.rows.iter().map(|row| &row.cpus);
        let all: CpuSet = of_nodes.chain(of_rows).flat_map(CpuSet::iter).collect();
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
        shares
            .into_iter()
            .map(|(group, cpus)| self.group(&cpus, or_empty(group.map(cache))))
            .collect()
    }

    fn group(&self, cpus: &CpuSet, cache: String) -> CacheGroup {
        let cores =
            self.parts.cores.iter().filter(|core| !core.cpus.intersection(cpus).is_empty()).count();
        CacheGroup {
            cpus: short_list(cpus, IN_A_LINE),
            cores: if cores == 0 { cpus.len() } else { cores },
            cache,
        }
    }
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
