//! Integration tests of the crate, in one program.

mod judge;
mod objects;
mod response;
mod text;
