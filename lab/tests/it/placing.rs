//! Placement proven in guests of several nodes: by what the kernel shows of pages and what it
//! counts, never by nearfar's own word.
//!
//! One boot serves all tests of a theme: its script (`placing/*.sh`) leaves findings, which the
//! tests read. `four-nodes` has a node without CPUs, a small one, an HMAT and Debian's numactl to
//! compare with; `sparse-a64` has holes in its node numbers.

mod cpuset;
pub(crate) mod findings;
mod moving;
mod process;
mod shared;
mod sparse;
mod table;
mod twins;
