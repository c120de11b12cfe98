//! Sets of CPUs in a few characters.

use nearfar_model::CpuSet;

/// Characters of a list that has a line to itself.
pub const IN_A_LINE: usize = 40;
/// Characters of a list that stands beside figures.
pub const IN_A_TABLE: usize = 24;

/// What a cut list ends in, at most: ",... (65536 CPUs)".
const COUNT: usize = 16;

/// The list form where it is not longer than `longest` (at least [`IN_A_TABLE`]), else its start
/// and a count.
///
/// What is not cut can be given to programs: taskset, numactl and `nearfar run` read such lists.
/// The kernel's stride form ("0-252:1/4") would be shorter, and none of them reads it.
pub fn short_list(set: &CpuSet, longest: usize) -> String {
    let list = set.to_string();
    if list.len() <= longest {
        return list;
    }
    let kept: String = list.chars().take(longest - COUNT).collect();
    let whole = kept.rsplit_once(',').map_or(kept.as_str(), |(whole, _)| whole);
    format!("{whole},... ({} CPUs)", set.len())
}

#[cfg(test)]
mod tests {
    use nearfar_model::CpuId;

    use super::*;

    /// A list is the kernel's plain form, or visibly cut.
    #[test]
    fn regular_gaps_have_a_form_that_other_programs_read() {
        let every_fourth: CpuSet = (0..40).step_by(4).map(CpuId).collect();
        assert_eq!(short_list(&every_fourth, IN_A_LINE), "0,4,8,12,16,20,24,28,32,36");
        assert_eq!(short_list(&every_fourth, IN_A_TABLE), "0,4,8,... (10 CPUs)");
        for (step, longest) in [(4, IN_A_TABLE), (2, IN_A_LINE), (3, IN_A_LINE)] {
            let set: CpuSet = (0..256).step_by(step).map(CpuId).collect();
            let text = short_list(&set, longest);
            assert!(text.ends_with("CPUs)") && text.len() <= longest, "{text}");
            assert!(!text.contains([':', '/']), "{text}");
        }
    }

    #[test]
    fn irregular_sets_are_cut_and_counted() {
        let squares: CpuSet = (0..40).map(|n| CpuId(n * n)).collect();
        assert_eq!(short_list(&squares, IN_A_LINE), "0-1,4,9,16,25,36,49,64,... (40 CPUs)");
        assert_eq!(short_list(&squares, IN_A_TABLE), "0-1,4,9,... (40 CPUs)");
        assert_eq!(short_list(&CpuSet::parse_list("0-5,48-53").unwrap(), IN_A_TABLE), "0-5,48-53");
    }
}
