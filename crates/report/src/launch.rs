//! How programs are placed, as text in the shapes that scripts parse.

pub mod hardware;
pub mod show;
