//! Placement proven in guests of several nodes: by what the kernel shows of pages and what it counts, never by nearfar's own word.
//!
//! One boot serves all tests of a theme: its script (`placing/*.sh`) leaves findings, which the tests read. `four-nodes` has a node without CPUs,
//! a small one, an HMAT and Debian's numactl to compare with; `sparse-a64` has holes in its node numbers.

#[path = "placing/cpuset.rs"]
mod cpuset;
#[path = "placing/findings.rs"]
mod findings;
#[allow(dead_code)] // surveying.rs uses what is not used here
mod lab;
#[path = "placing/moving.rs"]
mod moving;
#[path = "placing/process.rs"]
mod process;
#[path = "placing/shared.rs"]
mod shared;
#[path = "placing/sparse.rs"]
mod sparse;
#[path = "placing/table.rs"]
mod table;
#[path = "placing/twins.rs"]
mod twins;
