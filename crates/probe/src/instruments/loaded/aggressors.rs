//! Selects the aggressors: never the victim itself.

use nearfar_model::{CpuId, CpuSet};

/// The row's CPUs outside the victim's core, since a sibling competes for the core and not for
/// memory. If there are only siblings, those.
pub(super) fn beside(victim: CpuId, row: &[CpuId], cores: &[CpuSet]) -> Vec<CpuId> {
    let core = cores.iter().find(|core| core.contains(victim));
    let is_sibling = |cpu: &CpuId| core.is_some_and(|core| core.contains(*cpu));
    let others: Vec<CpuId> = row.iter().copied().filter(|&cpu| cpu != victim).collect();
    let apart: Vec<CpuId> = others.iter().copied().filter(|cpu| !is_sibling(cpu)).collect();
    if apart.is_empty() { others } else { apart }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cpus<const N: usize>(cpus: [u32; N]) -> Vec<CpuId> {
        cpus.map(CpuId).to_vec()
    }

    #[test]
    fn the_victims_core_is_no_aggressor() {
        let cores: Vec<CpuSet> =
            [[0, 4], [1, 5]].map(|core| core.map(CpuId).into_iter().collect()).to_vec();
        assert_eq!(beside(CpuId(4), &cpus([0, 1, 4, 5]), &cores), cpus([1, 5]));
        // All CPUs of another row do.
        assert_eq!(beside(CpuId(9), &cpus([0, 1]), &cores), cpus([0, 1]));
    }

    #[test]
    fn siblings_load_if_there_are_no_other_cpus() {
        let core: CpuSet = [CpuId(0), CpuId(1)].into_iter().collect();
        assert_eq!(beside(CpuId(0), &cpus([0, 1]), &[core]), cpus([1]));
        assert!(beside(CpuId(0), &cpus([0]), &[]).is_empty());
    }
}
