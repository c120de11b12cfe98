//! Memory-policy features that later kernels added.

/// A memory-policy feature that not every kernel has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Feature {
    /// [`Policy::PreferredMany`](crate::Policy::PreferredMany).
    PreferredMany,
    /// [`Policy::WeightedInterleave`](crate::Policy::WeightedInterleave).
    WeightedInterleave,
    /// [`PolicyFlags::balancing`](crate::PolicyFlags::balancing) with
    /// [`Policy::Bind`](crate::Policy::Bind).
    Balancing,
    /// [`set_home_node`](crate::set_home_node).
    HomeNode,
}

impl Feature {
    /// All features.
    pub const ALL: [Self; 4] =
        [Self::PreferredMany, Self::WeightedInterleave, Self::Balancing, Self::HomeNode];

    /// The Linux release that added it.
    ///
    /// # References
    ///
    /// set_mempolicy(2), set_mempolicy_home_node(2), `include/uapi/linux/mempolicy.h`
    pub fn since(self) -> &'static str {
        match self {
            Self::PreferredMany => "5.15",
            Self::WeightedInterleave => "6.9",
            Self::Balancing => "5.12",
            Self::HomeNode => "5.17",
        }
    }

    /// Its name within a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Self::PreferredMany => "the policy preferred-many",
            Self::WeightedInterleave => "the policy weighted-interleave",
            Self::Balancing => "balancing with a bind policy",
            Self::HomeNode => "a home node",
        }
    }
}
