//! Places threads and memory on NUMA nodes, and *proves* where pages are: libnuma for Rust.
//!
//! - [`Memory`] is memory for programs: on one node, bound, interleaved, weighted or local; freed
//!   when dropped.
//! - [`Policy`] selects the nodes that memory comes from: for the calling thread
//!   ([`Policy::set_for_thread`], or [`PolicyGuard`] for a scope) or for a range of addresses
//!   ([`set_range_policy`], [`set_home_node`]). [`Feature`] reports what the kernel lacks.
//! - [`shared_memory`] sets and verifies policies of memory that several programs share.
//! - [`set_affinity`], [`affinity`], [`AffinityGuard`] and [`current_cpu`] control where the
//!   calling thread runs; [`set_thread_affinity`] and [`thread_affinity`] another.
//! - [`residences`] queries the kernel for the node of each page: the only proof there is.
//!   [`move_pages`] and [`migrate_pages`] move pages, and [`move_process_pages`] and
//!   [`migrate_process`] those of another process.
//! - [`PlacedBuffer`] combines all of this: memory on one node, on 2 MiB huge pages where
//!   available, touched by the right CPU, locked, and verified page by page.
//! - [`PlaceCall`] reports which of the system calls this process may make.
//! - [`FileWindow`] shows which pages of a file are cached, on which nodes, and moves them.
//! - [`physical_addresses`] reports physical addresses of pages, to privileged users.
//!
//! ```
//! # fn main() -> Result<(), nearfar_place::PlaceError> {
//! use nearfar_model::Bytes;
//! use nearfar_place::{Memory, Residence, allowed_nodes};
//!
//! let nodes = allowed_nodes()?;
//! let mut table = Memory::interleaved(Bytes::mib(1), &nodes)?;
//! table.fill(1);
//! for node in nodes.iter() {
//!     let on_node = |page: &Residence| *page == Residence::Node(node);
//!     let pages = table.residences()?.into_iter().filter(on_node).count();
//!     println!("node {node}: {pages} pages");
//! }
//! # Ok(())
//! # }
//! ```
//!
//! `docs/libraries/libnuma.md` maps each function of libnuma to its counterpart.
//!
//! Sets of CPUs and nodes may be of any size. Each error is one line that names the system call,
//! the reason and what helps: see [`PlaceError`].
//!
//! This crate does not measure, and does not read the machine's topology: the caller passes which
//! nodes exist and how much memory they have free. It reads and writes `/proc/self` only, which
//! describes this process and not the machine: its pages (`smaps`, `numa_maps`, `pagemap`) and its
//! `oom_score_adj`.

#[cfg(not(target_pointer_width = "64"))]
compile_error!(
    "node and CPU masks are passed to the kernel as 64-bit words: only 64-bit targets are \
     supported"
);

mod affinity;
mod buffer_place;
mod feature;
mod feature_probe;
mod file_window;
mod get_mempolicy;
mod home_node;
mod interleaved;
mod kernel_number;
mod mapping;
mod mbind;
mod memory;
mod migration;
mod node_mask;
mod numa_maps;
mod out_of_memory;
mod page_moves;
mod physical_address;
mod place_call;
mod place_error;
mod placed_buffer;
mod policy;
mod policy_error;
mod policy_flags;
mod policy_guard;
mod populate;
mod proof;
mod range_policy;
mod residence;
mod residency;
pub mod shared_memory;
mod smaps;
#[cfg(test)]
mod tests;
mod thread_policy;
mod weight;

pub use affinity::{
    AffinityGuard, affinity, current_cpu, set_affinity, set_thread_affinity, thread_affinity,
};
pub use buffer_place::{BufferPlace, WantedPages};
pub use feature::Feature;
pub use file_window::{FileWindow, cached_bytes, major_faults, page_size};
pub use get_mempolicy::allowed_nodes;
pub use home_node::set_home_node;
pub use interleaved::{BufferRequest, InterleavedPlace, NodeWeight};
pub use mbind::ExistingPages;
pub use memory::Memory;
pub use migration::{
    migrate_pages, migrate_process, move_pages, move_process_pages, move_shared_process_pages,
    process_residences,
};
pub use out_of_memory::raise_oom_score;
pub use physical_address::physical_addresses;
pub use place_call::PlaceCall;
pub use place_error::PlaceError;
pub use placed_buffer::{Backing, PlacedBuffer};
pub use policy::Policy;
pub use policy_flags::PolicyFlags;
pub use policy_guard::PolicyGuard;
pub use proof::Proof;
pub use range_policy::{range_policy, set_range_policy, set_range_policy_with};
pub use residence::Residence;
pub use residency::residences;
pub use thread_policy::next_interleave_node;
pub use weight::set_weight;

/// Runs the examples of `docs/libraries/libnuma.md` as doctests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/libraries/libnuma.md")]
struct LibnumaPage;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
