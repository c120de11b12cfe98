//! What pictures need from the system: a renderer for PNG, what the terminal can show, and tables
//! that are no survey.

pub(crate) mod pair_table;
pub(crate) mod renderer;
pub(crate) mod terminal;
pub(crate) mod unmeasured;
