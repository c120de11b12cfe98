//! Integration tests of the crate, in one program.

mod libnuma_page;
mod packed_crate;
mod several_nodes;
