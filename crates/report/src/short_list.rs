//! Sets of CPUs in a few characters.

use nearfar_model::CpuSet;

/// Characters of a list that has a line to itself.
pub(crate) const IN_A_LINE: usize = 40;
/// Characters of a list that stands beside figures.
pub(crate) const IN_A_TABLE: usize = 24;

/// What a cut list ends in, at most: ",... (65536 CPUs)".
const COUNT: usize = 16;

/// The list form where it is not longer than `longest` (at least [`IN_A_TABLE`]), for regular gaps
/// the kernel's stride form ("0-252:1/4": one of every 4), else its start and a count.
pub(crate) fn short_list(set: &CpuSet, longest: usize) -> String {
    let list = set.to_string();
    if list.len() <= longest {
        return list;
    }
    strided(set).unwrap_or_else(|| {
        let kept: String = list.chars().take(longest - COUNT).collect();
        let whole = kept.rsplit_once(',').map_or(kept.as_str(), |(whole, _)| whole);
        format!("{whole},... ({} CPUs)", set.len())
    })
}

/// Runs of one length at one distance.
fn strided(set: &CpuSet) -> Option<String> {
    let runs = set.runs();
    let (&(first, end), &(second, _)) = (runs.first()?, runs.get(1)?);
    let (used, group) = (end.0 - first.0 + 1, second.0 - first.0);
    let regular = runs.windows(2).all(|pair| pair[1].0.0 - pair[0].0.0 == group);
    let alike = runs.iter().all(|(first, last)| last.0 - first.0 + 1 == used);
    (regular && alike).then(|| format!("{first}-{}:{used}/{group}", runs[runs.len() - 1].1))
}

#[cfg(test)]
mod tests {
    use nearfar_model::CpuId;

    use super::*;

    #[test]
    fn regular_gaps_keep_a_form_that_reads_back() {
        for (step, wanted) in [(4, "0-252:1/4"), (2, "0-254:1/2")] {
            let set: CpuSet = (0..256).step_by(step).map(CpuId).collect();
            assert_eq!(short_list(&set, IN_A_LINE), wanted);
            assert_eq!(CpuSet::parse_list(wanted).unwrap(), set);
        }
        let pairs: CpuSet = (0..256).filter(|n| n % 8 < 2).map(CpuId).collect();
        assert_eq!(CpuSet::parse_list(&short_list(&pairs, IN_A_LINE)).unwrap(), pairs);
    }

    #[test]
    fn irregular_sets_are_cut_and_counted() {
        let squares: CpuSet = (0..40).map(|n| CpuId(n * n)).collect();
        assert_eq!(short_list(&squares, IN_A_LINE), "0-1,4,9,16,25,36,49,64,... (40 CPUs)");
        assert_eq!(short_list(&squares, IN_A_TABLE), "0-1,4,9,... (40 CPUs)");
        assert_eq!(short_list(&CpuSet::parse_list("0-5,48-53").unwrap(), IN_A_TABLE), "0-5,48-53");
    }
}
