//! The mode flags of a memory policy: set_mempolicy(2).

use libc::c_int;

/// Mode flags of a memory policy: set_mempolicy(2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PolicyFlags {
    /// NUMA balancing moves pages among the nodes of a bind policy towards the CPUs that use them
    /// (Linux 5.12; with preferred-many, 6.10).
    pub balancing: bool,
    /// Node numbers stay fixed when the cpuset changes; nodes outside the cpuset are ignored.
    pub static_nodes: bool,
    /// Node numbers are relative to the cpuset at the time: 0 is its first node.
    pub relative_nodes: bool,
}

const MPOL_F_NUMA_BALANCING: c_int = 1 << 13;
const MPOL_F_RELATIVE_NODES: c_int = 1 << 14;
const MPOL_F_STATIC_NODES: c_int = 1 << 15;

/// The bits of a mode that are flags.
pub(crate) const MODE_FLAGS: c_int =
    MPOL_F_NUMA_BALANCING | MPOL_F_RELATIVE_NODES | MPOL_F_STATIC_NODES;

impl PolicyFlags {
    /// NUMA balancing only.
    pub const BALANCING: Self =
        Self { balancing: true, static_nodes: false, relative_nodes: false };

    pub(crate) fn bits(self) -> c_int {
        let bit = |wanted, bit| if wanted { bit } else { 0 };
        bit(self.balancing, MPOL_F_NUMA_BALANCING)
            | bit(self.static_nodes, MPOL_F_STATIC_NODES)
            | bit(self.relative_nodes, MPOL_F_RELATIVE_NODES)
    }

    pub(crate) fn from_bits(mode: c_int) -> Self {
        Self {
            balancing: mode & MPOL_F_NUMA_BALANCING != 0,
            static_nodes: mode & MPOL_F_STATIC_NODES != 0,
            relative_nodes: mode & MPOL_F_RELATIVE_NODES != 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_round_trip_through_bits() {
        for bits in
            [0, MPOL_F_NUMA_BALANCING, MPOL_F_STATIC_NODES, MPOL_F_RELATIVE_NODES, MODE_FLAGS]
        {
            assert_eq!(PolicyFlags::from_bits(bits).bits(), bits);
        }
        assert_eq!(PolicyFlags::from_bits(3), PolicyFlags::default());
    }
}
