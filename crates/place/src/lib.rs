//! Where do threads and pages go, and is it *proven*? What libnuma is for C.
//!
//! - [`Memory`] is memory for programs: on a node, bound, interleaved, weighted, local; given back
//!   when dropped.
//! - [`Policy`] says which nodes memory may come from: of the calling thread
//!   ([`Policy::set_for_thread`], or [`PolicyGuard`] for a while) or of a range of addresses
//!   ([`set_range_policy`], [`set_home_node`]). [`Feature`] says what the kernel lacks.
//! - [`shared_memory`] gives policies to what several programs share, and looks whether they are
//!   kept.
//! - [`run_on`], [`affinity`], [`AffinityGuard`] and [`current_cpu`] say where the calling thread
//!   runs; [`run_thread_on`] and [`affinity_of`] another.
//! - [`residences`] asks the kernel on which node each page *is*, which is the only proof there is;
//!   [`move_pages`] and [`migrate_pages`] move them, and [`move_process_pages`] and
//!   [`migrate_process`] those of another process.
//! - [`PlacedBuffer`] puts all of this together: memory on one node, on 2 MiB huge pages where
//!   there are any, touched from the right CPU, locked, and proven page by page.
//! - [`physical_addresses`] says where in physical memory pages are, to those who may know.
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
//!     let pages = table.residences()?.into_iter().filter(|page| *page == Residence::Node(node)).count();
//!     println!("node {node}: {pages} pages");
//! }
//! # Ok(())
//! # }
//! ```
//!
//! `docs/libnuma.md` maps each function of libnuma to its counterpart.
//!
//! Sets of CPUs and nodes may be of any size. Every call says in one line why the kernel refused
//! it: see [`PlaceError`].
//!
//! This crate does not know what is measured in the memory that it places, and does not read the
//! machine's topology: which nodes exist and how much they have free is handed in. It does read and
//! write under `/proc/self`, which is this process and not the machine: what its own pages are
//! (`smaps`, `numa_maps`, `pagemap`), and its place in the out-of-memory killer's order.

#[cfg(not(target_pointer_width = "64"))]
compile_error!(
    "node and CPU masks are passed to the kernel as 64-bit words: only 64-bit targets are \
     supported"
);

mod affinity;
mod buffer_place;
mod feature;
mod feature_probe;
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

pub use affinity::{AffinityGuard, affinity, affinity_of, current_cpu, run_on, run_thread_on};
pub use buffer_place::{BufferPlace, WantedPages};
pub use feature::Feature;
pub use get_mempolicy::allowed_nodes;
pub use home_node::set_home_node;
pub use interleaved::{InterleavedPlace, NodeWeight, Wish};
pub use mbind::ExistingPages;
pub use memory::Memory;
pub use migration::{
    migrate_pages, migrate_process, move_pages, move_process_pages, process_residences,
};
pub use out_of_memory::volunteer_for_oom_kill;
pub use physical_address::physical_addresses;
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

/// The pages' examples are run with the documentation's.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/libnuma.md")]
struct LibnumaPage;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
