//! Why groups stay undetermined.

use nearfar_model::CpuSet;
use nearfar_survey::UndecidedReason;
use nearfar_view::text::{count, verb_of};

/// Groups listed in a sentence.
const LISTED: usize = 8;

/// The reason as a sentence.
pub(super) fn sentence(reason: &UndecidedReason) -> String {
    match reason {
        UndecidedReason::TooFewCpus { cpus } => {
            let (cpus, have) = (count(*cpus, "CPU"), verb_of(*cpus, "have"));
            format!("all groups are undetermined: {cpus} {have} costs, three are needed")
        }
        UndecidedReason::TooManyCpus { cpus } => {
            format!("all groups are undetermined: {cpus} CPUs are too many; select some of them")
        }
        UndecidedReason::StandApart { shares, cpus, ratio } => format!(
            "{shares}s are undetermined: pairs of CPUs {cpus} are {ratio:.1} times faster than all \
             others. The memory of all lines may be near them. nearfar core-to-core measures with \
             lines from either side"
        ),
        UndecidedReason::PackagesOrClusters { groups, inside_ns, beyond_ns } => format!(
            "packages are undetermined: groups {} are packages or clusters of one package. Pairs \
             inside cost {inside_ns:.0} ns, others {beyond_ns:.0} ns. --root compares with the \
             reported topology",
            listed(groups)
        ),
        UndecidedReason::CoresOrCaches { groups } => format!(
            "cache groups are undetermined: groups {} are CPUs of one core, or cores that share a \
             cache",
            listed(groups)
        ),
        UndecidedReason::Scattered { shares, from_ns, to_ns } => format!(
            "{shares}s are undetermined: costs from {from_ns:.0} to {to_ns:.0} ns are no single \
             group, and do not separate into groups. Measure each pair longer, on an idle machine"
        ),
    }
}

fn listed(groups: &[CpuSet]) -> String {
    let mut all: Vec<String> = groups.iter().take(LISTED).map(ToString::to_string).collect();
    if let Some(more @ 1..) = groups.len().checked_sub(LISTED) {
        all.push(format!("{more} more"));
    }
    all.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undetermined_groups_are_named_in_the_plural() {
        let cpus = CpuSet::parse_list("0-3").unwrap();
        let apart = sentence(&UndecidedReason::StandApart { shares: "package", cpus, ratio: 3.01 });
        let wanted =
            "packages are undetermined: pairs of CPUs 0-3 are 3.0 times faster than all others.";
        assert!(apart.starts_with(wanted), "{apart}");
        let scattered =
            UndecidedReason::Scattered { shares: "cache group", from_ns: 42.1, to_ns: 91.9 };
        let scattered = sentence(&scattered);
        let wanted = "cache groups are undetermined: costs from 42 to 92 ns are no single group";
        assert!(scattered.starts_with(wanted), "{scattered}");
    }

    #[test]
    fn long_lists_of_groups_are_cut() {
        let of = |count| {
            sentence(&UndecidedReason::CoresOrCaches {
                groups: (0..count)
                    .map(|cpu| CpuSet::parse_list(&cpu.to_string()).unwrap())
                    .collect(),
            })
        };
        assert!(of(8).contains("groups 0; 1; 2; 3; 4; 5; 6; 7 are CPUs"), "{}", of(8));
        assert!(of(10).contains("; 7; 2 more are CPUs"), "{}", of(10));
    }
}
