//! What the running kernel's memory policies can do, found by asking for it on memory of our own.

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
    /// Whether the running kernel has it. Asked of the kernel itself, since distributions carry
    /// parts of later kernels into older ones. An error where the asking is denied, so that nobody
    /// knows.
    ///
    /// ```
    /// use nearfar_place::Feature;
    ///
    /// match Feature::WeightedInterleave.is_in_kernel() {
    ///     Ok(true) => println!("pages can be spread by weight"),
    ///     Ok(false) => println!("that needs Linux {}", Feature::WeightedInterleave.since()),
    ///     Err(refusal) => println!("nobody knows: {refusal}"),
    /// }
    /// ```
    pub fn is_in_kernel(self) -> Result<bool, PlaceError> {
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

    /// The first part that a policy needs and this kernel lacks, as far as it tells.
    pub(crate) fn lacking(policy: &Policy, flags: PolicyFlags) -> Option<Self> {
        let of_policy = match policy {
            Policy::PreferredMany(_) => Some(Self::PreferredMany),
            Policy::WeightedInterleave(_) => Some(Self::WeightedInterleave),
            _ => None,
        };
        let needed = [of_policy, flags.balancing.then_some(Self::Balancing)];
        needed.into_iter().flatten().find(|feature| feature.is_in_kernel() == Ok(false))
    }
}

/// Whether a page takes this policy. Its nodes are known to be good, so EINVAL speaks of the mode.
fn is_taken(policy: &Policy, flags: PolicyFlags) -> Result<bool, PlaceError> {
    let page = Mapping::plain(base_page())?;
    match mbind(page.start(), page.length(), policy, flags, ExistingPages::Stay) {
        Ok(()) => Ok(true),
        Err(libc::EINVAL) => Ok(false),
        Err(errno) => Err(PlaceError::of("mbind", errno)),
    }
}

/// The call does nothing for a length of zero, where there is the call.
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
    fn an_older_kernel_is_told_from_a_bad_node() {
        let old = without(&[libc::SYS_mbind], Denied::Einval, || {
            Feature::WeightedInterleave.is_in_kernel()
        });
        assert_eq!(old, Ok(false));
        let old = without(&[libc::SYS_set_mempolicy_home_node], Denied::Enosys, || {
            Feature::HomeNode.is_in_kernel()
        });
        assert_eq!(old, Ok(false));
        let old = without(&[libc::SYS_mbind, libc::SYS_set_mempolicy], Denied::Einval, || {
            Policy::PreferredMany(NodeSet::of(NodeId(0))).set_for_thread()
        });
        assert_eq!(
            old.unwrap_err().to_string(),
            "this kernel does not know the policy preferred-many: Linux 5.15 does"
        );
    }

    #[test]
    fn what_cannot_be_asked_is_unknown() {
        for feature in Feature::ALL {
            let calls = [libc::SYS_mbind, libc::SYS_set_mempolicy_home_node];
            let asked = without(&calls, Denied::Eperm, || feature.is_in_kernel());
            assert!(matches!(asked, Err(PlaceError::NotPermitted { .. })), "{asked:?}");
        }
    }

    #[test]
    fn what_is_in_the_kernel_is_taken_from_a_thread_too() {
        let nodes = allowed_nodes().unwrap();
        for (feature, policy) in [
            (Feature::PreferredMany, Policy::PreferredMany(nodes.clone())),
            (Feature::WeightedInterleave, Policy::WeightedInterleave(nodes.clone())),
        ] {
            assert_eq!(
                feature.is_in_kernel().unwrap(),
                policy.set_for_thread().is_ok(),
                "{feature:?}"
            );
        }
        let balanced = Policy::Bind(nodes).set_for_thread_with(PolicyFlags::BALANCING);
        assert_eq!(Feature::Balancing.is_in_kernel().unwrap(), balanced.is_ok());
        Policy::Default.set_for_thread().unwrap();
    }
}
