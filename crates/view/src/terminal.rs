//! What the commands of this project share: what they do with a terminal, and how they end.
//!
//! - [`output`]: standard output and standard error. [`printable`]: untrusted text without control
//!   characters. [`table`]: aligned columns. [`width`]: the columns that text wraps to.
//! - [`Interrupt`]: Ctrl-C as a flag.
//! - [`with_enough_stack`]: the main work, whatever `ulimit -s` is.
//! - [`exit`]: statuses, wrong usage, a reader that stopped. [`error_line`]: an error in a line.
//!
//! Nothing here knows what the commands are about.

mod error_line;
pub mod exit;
mod interrupt;
pub mod output;
pub mod printable;
mod stack;
pub mod table;
pub mod width;

pub use error_line::error_line;
pub use interrupt::Interrupt;
pub use stack::with_enough_stack;
