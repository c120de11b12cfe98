//! Which CPUs share their last-level cache.

use std::cmp::Reverse;

use nearfar_model::CpuSet;

use super::group::Package;
use super::{Cache, CacheKind};

/// See [`Topology::last_level_groups`](super::Topology::last_level_groups).
pub(super) fn groups(online: &CpuSet, caches: &[Cache], packages: &[Package]) -> Vec<CpuSet> {
    let mut data: Vec<&Cache> =
        caches.iter().filter(|cache| cache.kind != CacheKind::Instruction).collect();
    data.sort_by_key(|cache| Reverse(cache.level));
    // Highest caches first, then packages, then the rest.
    let candidates = data
        .into_iter()
        .map(|cache| &cache.cpus)
        .chain(packages.iter().map(|package| &package.cpus));
    let mut left = online.clone();
    let mut groups = Vec::new();
    for candidate in candidates.chain([online]) {
        let group = candidate.intersection(&left);
        if !group.is_empty() {
            left = left.difference(&group);
            groups.push(group);
        }
    }
    groups.sort_by_key(CpuSet::first);
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(list: &str) -> CpuSet {
        list.parse().unwrap()
    }

    fn cache(level: u32, kind: CacheKind, cpus: &str) -> Cache {
        Cache { level, kind, size: None, line: None, ways: None, sets: None, cpus: set(cpus) }
    }

    fn package(cpus: &str) -> Package {
        Package { id: None, cpus: set(cpus) }
    }

    #[test]
    fn each_cpu_is_grouped_by_its_highest_cache() {
        // Two low-power cores without the L3 of the others.
        let caches = [
            cache(3, CacheKind::Unified, "0-3"),
            cache(2, CacheKind::Unified, "0-1"),
            cache(2, CacheKind::Unified, "2-3"),
            cache(2, CacheKind::Unified, "4-5"),
        ];
        assert_eq!(groups(&set("0-5"), &caches, &[]), [set("0-3"), set("4-5")]);
    }

    #[test]
    fn groups_fall_back_to_packages_then_machine() {
        let packages = [package("0-1"), package("2-3")];
        assert_eq!(groups(&set("0-3"), &[], &packages), [set("0-1"), set("2-3")]);
        assert_eq!(groups(&set("0-3"), &[], &[]), [set("0-3")]);
        let instructions = [cache(3, CacheKind::Instruction, "0-3")];
        assert_eq!(groups(&set("0-3"), &instructions, &packages), [set("0-1"), set("2-3")]);
    }
}
