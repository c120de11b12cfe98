//! What costs do not tell, in words.

use nearfar_model::CpuSet;
use nearfar_survey::UndeterminedReason;

/// Groups listed in a sentence.
const LISTED: usize = 8;

/// The reason as a sentence.
pub(super) fn sentence(reason: &UndeterminedReason) -> String {
    match reason {
        UndeterminedReason::TooFewCpus { cpus } => {
            format!("cannot tell anything: {cpus} CPUs have costs, and three are needed")
        }
        UndeterminedReason::TooManyCpus { cpus } => {
            format!("cannot tell anything: {cpus} CPUs are too many; give some of them")
        }
        UndeterminedReason::StandApart { shares, cpus, ratio } => format!(
            "cannot tell {shares}s: other pairs cost {ratio:.1} times what CPUs {cpus} cost among \
             themselves, as where the memory behind every line is near these; measure with lines \
             at home on either side, as nearfar core-to-core does"
        ),
        UndeterminedReason::PackagesOrClusters { groups, inside_ns, beyond_ns } => format!(
            "cannot tell packages: groups {} are packages, or clusters of one package: their own \
             pairs cost {inside_ns:.0} ns, others {beyond_ns:.0} ns; --root compares with what \
             the machine claims",
            listed(groups)
        ),
        UndeterminedReason::CoresOrCaches { groups } => format!(
            "cannot tell cache groups: groups {} are CPUs of one core, or cores that share a cache",
            listed(groups)
        ),
        UndeterminedReason::Scattered { shares, from_ns, to_ns } => format!(
            "cannot tell {shares}s: costs lie between {from_ns:.0} and {to_ns:.0} ns, too far \
             apart to be of one kind, and do not separate; measure each pair longer, on an idle \
             machine"
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
    fn what_is_not_told_is_named_in_the_plural() {
        let cpus = CpuSet::parse_list("0-3").unwrap();
        let apart =
            sentence(&UndeterminedReason::StandApart { shares: "package", cpus, ratio: 3.01 });
        let wanted = "cannot tell packages: other pairs cost 3.0 times what CPUs 0-3 cost among";
        assert!(apart.starts_with(wanted), "{apart}");
        let scattered =
            UndeterminedReason::Scattered { shares: "cache group", from_ns: 42.1, to_ns: 91.9 };
        let scattered = sentence(&scattered);
        let wanted =
            "cannot tell cache groups: costs lie between 42 and 92 ns, too far apart to be";
        assert!(scattered.starts_with(wanted), "{scattered}");
    }

    #[test]
    fn of_many_groups_some_are_listed() {
        let group = |cpu: u32| CpuSet::parse_list(&cpu.to_string()).unwrap();
        let of = |count| {
            sentence(&UndeterminedReason::CoresOrCaches { groups: (0..count).map(group).collect() })
        };
        assert!(of(8).contains("groups 0; 1; 2; 3; 4; 5; 6; 7 are CPUs"), "{}", of(8));
        assert!(of(10).contains("; 7; 2 more are CPUs"), "{}", of(10));
    }
}
