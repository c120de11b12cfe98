//! Why there are no levels, and why a claimed cache holds or not.

use nearfar_infer::cache_levels::{CacheClaim, CacheClaimReason, NoLevels};

use super::size;

/// Why there are no levels, or no memory.
pub(super) fn no_levels(reason: &NoLevels) -> String {
    let said: &str = match reason {
        NoLevels::FewSizes { sizes } => {
            &format!("{sizes} sizes with samples enough are too few: measure longer, or farther")
        }
        NoLevels::NowhereFlat => "latency is nowhere flat: no cache and no memory can be told",
        NoLevels::StillClimbs => "latency still climbs at the largest size: sweep farther",
        NoLevels::MemoryNotReached { largest_bytes, cache, last_ns } => {
            let (largest, claimed, name) =
                (size(*largest_bytes), size(cache.bytes as f64), &cache.name);
            &format!(
                "memory was not reached: the sweep ended at {largest}, and {name} of {claimed} is \
                 claimed; the last {last_ns:.1} ns may be that cache's"
            )
        }
        NoLevels::Sentence(sentence) => sentence,
    };
    said.to_owned()
}

/// Why a claim holds or not.
pub(super) fn claim_reason(claim: &CacheClaim, reason: &CacheClaimReason) -> String {
    use CacheClaimReason::*;
    let claimed = format!("{} of {} is claimed", claim.name, size(claim.bytes as f64));
    let measured = |bytes: &f64, ci95: &[f64; 2]| {
        let [low, high] = ci95.map(size);
        format!("{} (95 %: {low} to {high})", size(*bytes))
    };
    let beside = match reason {
        NotMeasured => return "nothing was measured".to_owned(),
        Sentence(sentence) => return sentence.clone(),
        NotTheSame { bytes, ci95, tolerance } => {
            format!(
                ", {} measured: within {:.0} %, but not the same",
                measured(bytes, ci95),
                100.0 * tolerance
            )
        }
        OtherSize { bytes, ci95 } => format!(", {} measured", measured(bytes, ci95)),
        TooWide { bytes, ci95 } => {
            format!("; {} is too wide to tell: more rounds", measured(bytes, ci95))
        }
        InAClimb { from_bytes, to_bytes } => {
            let [from, to] = [from_bytes, to_bytes].map(|bytes| size(*bytes as f64));
            format!(
                "; latency climbs from {from} to {to}, longer or otherwise than one cache \
                 explains, and it may end anywhere there"
            )
        }
        NoSizes => "; no size has samples enough to tell".to_owned(),
        SweepEnds { largest_bytes } => format!(", but the sweep ends at {}", size(*largest_bytes)),
        NoPlateau => ", but no plateau of it was found".to_owned(),
        OnTheWayToMemory { bytes, ns, share } => {
            let (size, percent) = (size(*bytes), 100.0 * share);
            format!(
                ", but a buffer of {size} already costs {ns:.1} ns, {percent:.0} % of the way to \
                 memory"
            )
        }
        ClimbsWithoutPlateau => {
            ", but latency climbs with no plateau: others may share it".to_owned()
        }
    };
    claimed + &beside
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_written_as_people_write_them() {
        let claim = CacheClaim { name: "L2".to_owned(), bytes: 600 << 10 };
        let (bytes, ci95) = (524_288.0, [512_000.0, 1_258_291.2]);
        let reason =
            claim_reason(&claim, &CacheClaimReason::NotTheSame { bytes, ci95, tolerance: 0.25 });
        assert_eq!(
            reason,
            "L2 of 600 KiB is claimed, 512 KiB (95 %: 500 KiB to 1.2 MiB) measured: within 25 %, \
             but not the same"
        );
        let cache = CacheClaim { name: "L3".to_owned(), bytes: 260 << 20 };
        let reason = no_levels(&NoLevels::MemoryNotReached {
            largest_bytes: 33_554_432.0,
            cache,
            last_ns: 30.04,
        });
        assert_eq!(
            reason,
            "memory was not reached: the sweep ended at 32 MiB, and L3 of 260 MiB is claimed; the \
             last 30.0 ns may be that cache's"
        );
    }
}
