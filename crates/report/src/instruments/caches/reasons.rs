//! Why there are no levels, and why a claimed cache holds or not.

use nearfar_infer::cache_levels::{CacheClaim, ClaimReason, NoLevels};

use super::size;

/// Why there are no levels, or no memory.
pub(super) fn no_levels(reason: &NoLevels) -> String {
    match reason {
        NoLevels::FewSizes { sizes } => {
            format!("{sizes} sizes with samples enough are too few: measure longer, or farther")
        }
        NoLevels::NowhereFlat => "latency is nowhere flat: no cache and no memory can be told".to_owned(),
        NoLevels::StillClimbs => "latency still climbs at the largest size: sweep farther".to_owned(),
        NoLevels::MemoryNotReached { largest_bytes, cache, last_ns } => format!(
            "memory was not reached: the sweep ended at {}, and {} of {} is claimed; the last {last_ns:.1} ns may be that cache's",
            size(*largest_bytes),
            cache.name,
            size(cache.bytes as f64)
        ),
        NoLevels::Sentence(sentence) => sentence.clone(),
    }
}

/// Why a claim holds or not.
pub(super) fn claim_reason(claim: &CacheClaim, reason: &ClaimReason) -> String {
    let claimed = format!("{} of {} is claimed", claim.name, size(claim.bytes as f64));
    let measured =
        |bytes: f64, [low, high]: [f64; 2]| format!("{} (95 %: {} to {})", size(bytes), size(low), size(high));
    match reason {
        ClaimReason::NotMeasured => "nothing was measured".to_owned(),
        ClaimReason::NotTheSame { bytes, ci95, tolerance } => format!(
            "{claimed}, {} measured: within {:.0} %, but not the same",
            measured(*bytes, *ci95),
            100.0 * tolerance
        ),
        ClaimReason::OtherSize { bytes, ci95 } => format!("{claimed}, {} measured", measured(*bytes, *ci95)),
        ClaimReason::TooWide { bytes, ci95 } => {
            format!("{claimed}; {} is too wide to tell: more rounds", measured(*bytes, *ci95))
        }
        ClaimReason::InAClimb { from_bytes, to_bytes } => format!(
            "{claimed}; latency climbs from {} to {}, longer or otherwise than one cache explains, and it may end anywhere there",
            size(*from_bytes as f64),
            size(*to_bytes as f64)
        ),
        ClaimReason::NoSizes => format!("{claimed}; no size has samples enough to tell"),
        ClaimReason::SweepEnds { largest_bytes } => {
            format!("{claimed}, but the sweep ends at {}", size(*largest_bytes))
        }
        ClaimReason::NoPlateau => format!("{claimed}, but no plateau of it was found"),
        ClaimReason::OnTheWayToMemory { bytes, ns, share } => format!(
            "{claimed}, but a buffer of {} already costs {ns:.1} ns, {:.0} % of the way to memory",
            size(*bytes),
            100.0 * share
        ),
        ClaimReason::ClimbsWithoutPlateau => {
            format!("{claimed}, but latency climbs with no plateau: others may share it")
        }
        ClaimReason::Sentence(sentence) => sentence.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_written_as_people_write_them() {
        let claim = CacheClaim { name: "L2".to_owned(), bytes: 600 << 10 };
        let (bytes, ci95) = (524_288.0, [512_000.0, 1_258_291.2]);
        let reason = claim_reason(&claim, &ClaimReason::NotTheSame { bytes, ci95, tolerance: 0.25 });
        assert_eq!(
            reason,
            "L2 of 600 KiB is claimed, 512 KiB (95 %: 500 KiB to 1.2 MiB) measured: within 25 %, but not the same"
        );
        let cache = CacheClaim { name: "L3".to_owned(), bytes: 260 << 20 };
        let reason = no_levels(&NoLevels::MemoryNotReached { largest_bytes: 33_554_432.0, cache, last_ns: 30.04 });
        assert_eq!(
            reason,
            "memory was not reached: the sweep ended at 32 MiB, and L3 of 260 MiB is claimed; the last 30.0 ns may be that cache's"
        );
    }
}
