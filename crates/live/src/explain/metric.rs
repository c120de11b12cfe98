//! What is read while a cure is tried.

use serde::{Deserialize, Serialize};

/// How a metric is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MetricKind {
    /// The number that a command prints.
    Command,
    /// A counter of the process in /proc, a second.
    Counter,
    /// Cycles per instruction, by the PMU.
    Cpi,
}

/// Which values are better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Larger ones.
    MoreIsBetter,
    /// Smaller ones.
    LessIsBetter,
}

/// A metric.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Metric {
    /// The command, or the counter.
    pub name: String,
    /// How it is read.
    pub kind: MetricKind,
    /// Which values are better.
    pub direction: Direction,
    /// Whether its increase per second is the figure.
    pub is_counter: bool,
}
