//! Test helpers of several files.

pub(crate) mod denied_calls;
