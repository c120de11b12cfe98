//! Who dies when memory runs out.

/// Makes this process the first choice of the kernel's out-of-memory killer, so that a measurement
/// never costs the machine something that matters. True when the kernel took note. Any process may
/// do this; only root may undo it.
pub fn volunteer_for_oom_kill() -> bool {
    const FIRST_TO_GO: &str = "1000";
    std::fs::write("/proc/self/oom_score_adj", FIRST_TO_GO).is_ok()
}
