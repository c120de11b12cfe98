//! Are the sentences of a report true of the machine that it is about? Judged from the printed text
//! and the machine's description alone: which placement is best, what each costs, what is claimed.
//!
//! - [`pattern`]: sentences taken apart by templates, and their numbers.
//! - [`command`]: the commands that sentences quote.
//! - [`memory`]: what placements truly cost.
//! - [`judgement`]: a sentence's figures and placements against the truth.
//! - [`table`]: counts over many machines.
//! - [`fleet`]: the text of fleets.
//! - [`survey`]: the text of surveys: its [`survey::grammar`], and the truth of each kind.

mod command;
pub(crate) mod fleet;
mod judgement;
mod memory;
mod pattern;
pub(crate) mod survey;
mod table;

pub(crate) use table::SentenceTable;

/// How far figures may lie from the truth, as a fraction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Slack {
    /// A cost in ns.
    pub(crate) ns: f64,
    /// A ratio of two costs, or a percentage.
    pub(crate) ratio: f64,
}

impl Slack {
    /// Of replays, whose noise is scatter alone.
    pub(crate) const REPLAY: Self = Self { ns: 0.025, ratio: 0.025 };
}
