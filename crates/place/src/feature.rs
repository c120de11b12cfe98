//! Parts of memory policy that kernels learned one after the other.

/// One of them.
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
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::PreferredMany, Self::WeightedInterleave, Self::Balancing, Self::HomeNode];

    /// The Linux release that brought it.
    pub fn since(self) -> &'static str {
        match self {
            Self::PreferredMany => "5.15",
            Self::WeightedInterleave => "6.9",
            Self::Balancing => "5.12",
            Self::HomeNode => "5.17",
        }
    }

    /// What it is called in a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Self::PreferredMany => "the policy preferred-many",
            Self::WeightedInterleave => "the policy weighted-interleave",
            Self::Balancing => "balancing with a bind policy",
            Self::HomeNode => "a home node",
        }
    }
}
