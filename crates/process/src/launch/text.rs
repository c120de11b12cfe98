//! How programs are placed, as text: what there is to place them on and what holds now (in
//! numactl's shapes), what a program would get, where its pages are, other systems' words, help.

pub mod explain;
pub(crate) mod explanation;
pub mod hardware;
pub mod near;
pub mod shared;
pub mod show;
pub mod translation;
pub mod usage;
pub mod watch;
pub(crate) mod watched;
pub mod weights;
