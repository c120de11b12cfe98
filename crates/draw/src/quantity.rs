//! What an axis shows, and how its numbers are written.

/// What an axis shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Quantity {
    /// Its name with its unit: "traffic, GB/s".
    pub label: String,
    /// Linear or logarithmic.
    pub spacing: Spacing,
    /// Whether it starts at zero (linear axes only).
    pub from_zero: bool,
    /// How its ticks are written.
    pub numbers: Numbers,
    /// What the axis reaches over beside what stands on it: pictures that are compared by eye have the same axes.
    pub reach: Option<[f64; 2]>,
}

/// How numbers on an axis are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Numbers {
    /// As they are.
    #[default]
    Plain,
    /// As sizes: 48 KiB, 2 MiB. Ticks are powers of two.
    Bytes,
    /// As counts: ticks are whole numbers.
    Whole,
}

/// How an axis goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spacing {
    /// Equal steps.
    #[default]
    Linear,
    /// Equal ratios; values must be positive.
    Logarithmic,
}
