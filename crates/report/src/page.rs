//! Surveys and sweeps as pages: one HTML file with everything in it.
//!
//! A page needs no network and no script: its style stands in it, its pictures are SVG in the text,
//! the document it shows is in a link. It forbids itself everything else (a
//! Content-Security-Policy), so that a survey from an unknown
//! source cannot load anything either.
//! Behind each picture is a table with its figures; colours follow the reader's light or dark, and
//! paper is white.
//!
//! - [`survey`]: one survey. [`surveys`]: several beside each other, with what really changed
//!   framed. [`sweep`]: a sweep. [`fleet`]: machines of a fleet.
//!   [`response`]: what remote memory costs a program; [`objects`]: which of its memory.
//!
//! The same documents always give the same bytes.

mod devices;
mod document;
mod figure;
mod fleet;
mod interrupts;
mod method;
mod objects;
mod response;
mod sentence;
mod several;
mod shell;
mod summary;
mod survey;
mod sweep;

pub use document::Origin;
pub use fleet::fleet;
pub use objects::objects;
pub use response::response;
pub use several::{MAX_BESIDE, surveys};
pub use survey::survey;
pub use sweep::sweep;
