//! Which warnings matter most.

/// The codes of dropped samples begin with it; the reason follows.
const DROPPED: &str = "dropped-";

/// The code of an outlier, and what it was in older documents.
const OUTLIER: &str = "outlier";
const OLDER_OUTLIER: &str = "stands-out";

/// Codes of warnings, from missing figures to settings that only may matter. Codes that are not in
/// the list come last.
const ORDER: [&str; 21] = [
    "instrument-failed",
    "interrupted",
    "instrument-left-out",
    "cpu-offline",
    "process-lost",
    "placement",
    "fills-contradict",
    "controls-differ",
    "throttled",
    "cpu-quota",
    "steal",
    "load",
    "not-precise",
    "two-levels",
    OUTLIER,
    "bursts",
    DROPPED,
    "numa-balancing",
    "hypervisor",
    "governor",
    "thp-off",
];

/// Where a code stands in the order: less is more important.
pub(crate) fn rank(code: &str) -> usize {
    let code = match code {
        OLDER_OUTLIER => OUTLIER,
        _ if code.starts_with(DROPPED) => DROPPED,
        _ => code,
    };
    ORDER.iter().position(|known| *known == code).unwrap_or(ORDER.len())
}
