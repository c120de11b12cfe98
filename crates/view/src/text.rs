//! Text of every domain: paragraphs, tables, counts, shares, CSV.
//!
//! Widths are those of [`width`](crate::terminal::width); nothing here prints.

pub mod captured;
mod count;
pub mod csv_text;
pub mod differing;
pub mod exposition;
pub mod first_lines;
pub mod fitted;
mod named_nodes;
pub mod paragraph;
pub mod percent;
mod quoted_command;
pub mod schema;
mod sections;
mod short_list;
mod table;
mod to_do;

pub use count::{count, count_of, verb_of};
pub use first_lines::{MORE_IN_JSON, and_more, few, first_lines};
pub use named_nodes::named_nodes;
pub use quoted_command::next_command;
pub use sections::sections;
pub use short_list::{IN_A_LINE, IN_A_TABLE, short_list};
pub use table::table;

/// It, or a dash.
pub fn or_dash(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

/// It, or nothing.
pub fn or_empty(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// Both ends of an interval; empty where there is none.
pub fn ends(interval: Option<[impl ToString; 2]>) -> [String; 2] {
    interval.map_or_else(Default::default, |ends| ends.map(|end| end.to_string()))
}
