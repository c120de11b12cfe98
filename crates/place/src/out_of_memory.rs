//! The order in which the kernel's out-of-memory killer selects processes.

/// Makes this process the first victim of the kernel's out-of-memory killer, so that a measurement
/// does not end another program. Returns whether the kernel accepted it. Any process may raise its
/// score; only root may lower it again.
///
/// # References
///
/// `/proc/pid/oom_score_adj` in proc(5)
pub fn raise_oom_score() -> bool {
    const MAX_SCORE: &str = "1000";
    std::fs::write("/proc/self/oom_score_adj", MAX_SCORE).is_ok()
}
