//! Text of every domain: paragraphs, tables, counts, shares, CSV.
//!
//! Widths are those of [`width`](crate::terminal::width); nothing here prints.

mod count;
pub mod csv_text;
pub mod differing;
pub mod exposition;
mod first_lines;
mod optional;
pub mod paragraph;
pub mod percent;
mod quoted_command;
pub mod schema;
mod sections;
mod short_list;
mod table;

pub use count::count;
pub use first_lines::{MORE_IN_JSON, and_more, first_lines};
pub use optional::{ends, or_dash, or_empty};
pub use quoted_command::next_command;
pub use sections::sections;
pub use short_list::{IN_A_LINE, IN_A_TABLE, short_list};
pub use table::table;
