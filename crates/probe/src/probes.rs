//! The timed loops, one file a probe, and what they share: cycles through memory, slices that are timed as one, and the
//! assembly of each architecture.

pub(crate) mod arch;
pub(crate) mod chase;
pub(crate) mod core_walk;
pub(crate) mod cycle;
pub(crate) mod page_probe;
pub(crate) mod rmw;
pub(crate) mod slice;
pub(crate) mod store_sweep;
#[cfg(test)]
pub(crate) mod test_memory;
