//! What a machine reports, as text.

mod address_map;
pub mod sent;
pub mod topology;

pub use address_map::physical_map;
