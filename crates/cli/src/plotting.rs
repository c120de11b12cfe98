//! What pictures need of the system: a renderer for PNG, and what the terminal can show.

pub(crate) mod renderer;
pub(crate) mod terminal;
