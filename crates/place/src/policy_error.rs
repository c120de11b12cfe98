//! Why the kernel rejects a policy.

use crate::feature::Feature;
use crate::place_error::PlaceError;
use crate::policy::Policy;
use crate::policy_flags::PolicyFlags;

impl PlaceError {
    /// As [`PlaceError::for_nodes`], for a call with a policy: EINVAL may also mean that the kernel
    /// lacks it.
    pub(crate) fn for_policy(
        call: &'static str,
        policy: &Policy,
        flags: PolicyFlags,
        errno: i32,
    ) -> Self {
        if errno != libc::EINVAL {
            return Self::for_nodes(call, &policy.nodes(), errno);
        }
        if let Some(why) = policy.misfit(flags) {
            return Self::UnfitFlags { policy: policy.name(), why };
        }
        match Feature::lacking(policy, flags) {
            Some(feature) => Self::kernel_lacks(feature),
            None => Self::for_nodes(call, &policy.nodes(), errno),
        }
    }
}
