//! Settings of the scheduler that move threads during a measurement.

use crate::attribute::Attributes;

/// Whether threads that share memory are kept at one last-level cache (Linux 7.2). The file has
/// what was asked for: the kernel does it where a node has several such caches. Only root reads it.
///
/// # References
///
/// kernel/sched/debug.c: sched_cache_enable_show
pub(super) fn cache_aware(read: &Attributes<'_>) -> Option<bool> {
    match read.text("/sys/kernel/debug/sched/llc_balancing/enabled")?.as_str() {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}
