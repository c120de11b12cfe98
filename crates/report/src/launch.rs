//! How programs are placed, as text: what a program would get, where its pages are, other systems' words, help.

pub mod explain;
pub mod translation;
pub mod usage;
pub mod watch;
pub mod weights;
