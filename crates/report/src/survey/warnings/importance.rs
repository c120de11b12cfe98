//! Which warnings matter most.

/// Codes of warnings, from missing figures to settings that only may matter. Codes that are not in
/// the list come last.
const ORDER: [&str; 18] = [
    "instrument-failed",
    "interrupted",
    "instrument-left-out",
    "cpu-offline",
    "process-lost",
    "controls-differ",
    "throttled",
    "cpu-quota",
    "steal",
    "load",
    "not-precise",
    "two-levels",
    "stands-out",
    "bursts",
    "numa-balancing",
    "hypervisor",
    "governor",
    "thp-off",
];

/// Where a code stands in the order: less is more important.
pub(crate) fn rank(code: &str) -> usize {
    ORDER.iter().position(|known| *known == code).unwrap_or(ORDER.len())
}
