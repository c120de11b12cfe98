//! The `nearfar` command.
fn main() {}
