//! Why levels are missing, and why a claimed cache size holds or not.

use nearfar_infer::cache_levels::{CacheClaim, CacheClaimReason, NoLevels};

use super::size;

/// Why levels or memory are missing.
pub(super) fn no_levels(reason: &NoLevels) -> String {
    let text: &str = match reason {
        NoLevels::FewSizes { sizes } => {
            &format!("only {sizes} sizes have enough samples: measure longer, or larger sizes")
        }
        NoLevels::NowhereFlat => "latency has no plateau: caches and memory are undetermined",
        NoLevels::StillClimbs => "latency still rises at the largest size: measure larger sizes",
        NoLevels::MemoryNotReached { largest_bytes, cache, last_ns } => {
            let (largest, claimed, name) =
                (size(*largest_bytes), size(cache.bytes as f64), &cache.name);
            &format!(
                "memory was not reached: the largest size is {largest}, but {name} has {claimed}. \
                 The last {last_ns:.1} ns may be the latency of {name}"
            )
        }
    };
    text.to_owned()
}

/// Why a claim holds or not.
pub(super) fn claim_reason(claim: &CacheClaim, reason: &CacheClaimReason) -> String {
    use CacheClaimReason::*;
    let claimed = format!("{}: {} claimed", claim.name, size(claim.bytes as f64));
    let measured = |bytes: &f64, ci95: &[f64; 2]| {
        let [low, high] = ci95.map(size);
        format!("{} (95 %: {low} to {high})", size(*bytes))
    };
    let beside = match reason {
        NotMeasured => return "nothing was measured".to_owned(),
        NotTheSame { bytes, ci95, tolerance } => {
            format!(
                ", {} measured: within {:.0} %, but not equal",
                measured(bytes, ci95),
                100.0 * tolerance
            )
        }
        OtherSize { bytes, ci95 } => format!(", {} measured", measured(bytes, ci95)),
        TooWide { bytes, ci95 } => {
            format!(", {} measured: too uncertain, more rounds help", measured(bytes, ci95))
        }
        InAClimb { from_bytes, to_bytes } => {
            let [from, to] = [from_bytes, to_bytes].map(|bytes| size(*bytes as f64));
            format!(
                ", but latency rises from {from} to {to} in a way that one cache does not explain. \
                 The cache may end anywhere there"
            )
        }
        NoSizes => ", but no size has enough samples".to_owned(),
        SweepEnds { largest_bytes } => {
            format!(", but the largest size is {}", size(*largest_bytes))
        }
        NoPlateau => ", but it has no plateau".to_owned(),
        OnTheWayToMemory { bytes, ns, share } => {
            let (size, percent) = (size(*bytes), 100.0 * share);
            format!(
                ", but a buffer of {size} takes {ns:.1} ns, {percent:.0} % of the way to memory"
            )
        }
        ClimbsWithoutPlateau => {
            ", but latency rises without a plateau: other CPUs may share it".to_owned()
        }
    };
    claimed + &beside
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_binary_units() {
        let claim = CacheClaim { name: "L2".to_owned(), bytes: 600 << 10 };
        let (bytes, ci95) = (524_288.0, [512_000.0, 1_258_291.2]);
        let reason =
            claim_reason(&claim, &CacheClaimReason::NotTheSame { bytes, ci95, tolerance: 0.25 });
        assert_eq!(
            reason,
            "L2: 600 KiB claimed, 512 KiB (95 %: 500 KiB to 1.2 MiB) measured: within 25 %, but \
             not equal"
        );
        let cache = CacheClaim { name: "L3".to_owned(), bytes: 260 << 20 };
        let reason = no_levels(&NoLevels::MemoryNotReached {
            largest_bytes: 33_554_432.0,
            cache,
            last_ns: 30.04,
        });
        assert_eq!(
            reason,
            "memory was not reached: the largest size is 32 MiB, but L3 has 260 MiB. The last 30.0 \
             ns may be the latency of L3"
        );
    }
}
