//! Which memory-policy features the running kernel has, found by trying them on a page of this
//! process.

use nearfar_model::NodeSet;

use crate::feature::Feature;
use crate::get_mempolicy::allowed_nodes;
use crate::home_node::set_home_node;
use crate::mapping::{Mapping, base_page};
use crate::mbind::{ExistingPages, mbind};
use crate::place_error::PlaceError;
use crate::policy::Policy;
use crate::policy_flags::PolicyFlags;

impl Feature {
    /// Whether the running kernel has it. The kernel's version does not decide, since distributions
    /// backport features: the call is tried.
    ///
    /// ```
    /// use nearfar_place::Feature;
    ///
    /// match Feature::WeightedInterleave.is_supported() {
    ///     Ok(true) => println!("pages can be interleaved by weight"),
    ///     Ok(false) => println!("this needs Linux {}", Feature::WeightedInterleave.since()),
    ///     Err(error) => println!("cannot determine: {error}"),
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// [`PlaceError::NotPermitted`] where the call is denied, so that the answer is unknown.
    ///
    /// # References
    ///
    /// mbind(2), set_mempolicy_home_node(2)
    pub fn is_supported(self) -> Result<bool, PlaceError> {
        let nodes = allowed_nodes()?;
        match self {
            Self::PreferredMany => is_taken(&Policy::PreferredMany(nodes), PolicyFlags::default()),
            Self::WeightedInterleave => {
                is_taken(&Policy::WeightedInterleave(nodes), PolicyFlags::default())
            }
            Self::Balancing => is_taken(&Policy::Bind(nodes), PolicyFlags::BALANCING),
            Self::HomeNode => has_home_node(&nodes),
        }
    }

    /// The first feature that a policy needs and this kernel is known to lack.
    pub(crate) fn lacking(policy: &Policy, flags: PolicyFlags) -> Option<Self> {
        let of_policy = match policy {
            Policy::PreferredMany(_) => Some(Self::PreferredMany),
            Policy::WeightedInterleave(_) => Some(Self::WeightedInterleave),
            _ => None,
        };
        let needed = [of_policy, flags.balancing.then_some(Self::Balancing)];
        needed.into_iter().flatten().find(|feature| feature.is_supported() == Ok(false))
    }
}

/// Whether the kernel accepts this policy for a page. The nodes are valid, so EINVAL refers to the
/// mode.
fn is_taken(policy: &Policy, flags: PolicyFlags) -> Result<bool, PlaceError> {
    let page = Mapping::plain(base_page())?;
    match mbind(page.start(), page.length(), policy, flags, ExistingPages::Stay) {
        Ok(()) => Ok(true),
        Err(libc::EINVAL) => Ok(false),
        Err(errno) => Err(PlaceError::from_errno("mbind", errno)),
    }
}

/// With a length of zero the call does nothing, where it exists.
fn has_home_node(nodes: &NodeSet) -> Result<bool, PlaceError> {
    let Some(node) = nodes.first() else { return Ok(false) };
    let page = Mapping::plain(base_page())?;
    match set_home_node(page.start(), 0, node) {
        Ok(()) => Ok(true),
        Err(PlaceError::KernelLacks { .. }) => Ok(false),
        Err(place_error) => Err(place_error),
    }
}

#[cfg(test)]
mod tests {
    use nearfar_model::NodeId;

    use super::*;
    use crate::tests::denied_calls::{Denied, without};

    #[test]
    fn an_older_kernel_is_distinguished_from_a_bad_node() {
        let old = without(&[libc::SYS_mbind], Denied::Einval, || {
            Feature::WeightedInterleave.is_supported()
        });
        assert_eq!(old, Ok(false));
        let old = without(&[libc::SYS_set_mempolicy_home_node], Denied::Enosys, || {
            Feature::HomeNode.is_supported()
        });
        assert_eq!(old, Ok(false));
        let old = without(&[libc::SYS_mbind, libc::SYS_set_mempolicy], Denied::Einval, || {
            Policy::PreferredMany(NodeSet::from_id(NodeId(0))).set_for_thread()
        });
        assert_eq!(
            old.unwrap_err().to_string(),
            "this kernel lacks the policy preferred-many: it needs Linux 5.15"
        );
    }

    #[test]
    fn denied_calls_leave_features_unknown() {
        for feature in Feature::ALL {
            let calls = [libc::SYS_mbind, libc::SYS_set_mempolicy_home_node];
            let result = without(&calls, Denied::Eperm, || feature.is_supported());
            assert!(matches!(result, Err(PlaceError::NotPermitted { .. })), "{result:?}");
        }
    }

    #[test]
    fn threads_accept_the_features_that_pages_accept() {
        let nodes = allowed_nodes().unwrap();
        for (feature, policy) in [
            (Feature::PreferredMany, Policy::PreferredMany(nodes.clone())),
            (Feature::WeightedInterleave, Policy::WeightedInterleave(nodes.clone())),
        ] {
            assert_eq!(
                feature.is_supported().unwrap(),
                policy.set_for_thread().is_ok(),
                "{feature:?}"
            );
        }
        let balanced = Policy::Bind(nodes).set_for_thread_with(PolicyFlags::BALANCING);
        assert_eq!(Feature::Balancing.is_supported().unwrap(), balanced.is_ok());
        Policy::Default.set_for_thread().unwrap();
    }
}
