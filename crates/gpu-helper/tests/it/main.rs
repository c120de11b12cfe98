//! The program `nearfar-gpu` itself, started as a file and from memory.

mod from_memory;
mod killed;
mod program;
