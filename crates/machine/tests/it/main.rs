//! Integration tests of the crate, in one program.

mod capture_corpus;
mod cases;
mod corpus;
mod corpus_folder;
mod firmware;
mod firmware_bounds;
mod firmware_seeds;
mod garbage;
mod kernel;
mod large;
