//! Integration tests of the crate, in one program.

mod libnuma_page;
mod several_nodes;
