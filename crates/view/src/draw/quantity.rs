//! What an axis shows, and how its numbers are written.

use crate::draw::figure::{bytes, precise};

/// What an axis shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Quantity {
    /// Its name with its unit: "traffic, GB/s".
    pub label: String,
    /// Linear or logarithmic.
    pub spacing: AxisScale,
    /// Whether it starts at zero (linear axes only).
    pub from_zero: bool,
    /// How its ticks are written.
    pub numbers: Numbers,
    /// What the axis reaches over beside what stands on it: pictures that are compared by eye have
    /// the same axes.
    pub reach: Option<[f64; 2]>,
}

impl Quantity {
    /// A value as its axis writes numbers: a size, or precisely.
    pub(crate) fn written(&self, value: f64) -> String {
        match self.numbers {
            Numbers::Bytes => bytes(value),
            Numbers::Plain | Numbers::Whole => precise(value),
        }
    }

    /// "96.8 to 97.9"
    pub(crate) fn interval(&self, [low, high]: [f64; 2]) -> String {
        format!("{} to {}", self.written(low), self.written(high))
    }

    /// Whether a value can stand on its axis.
    pub(crate) fn can_hold(&self, value: f64) -> bool {
        value.abs() < 1e300 && (self.spacing == AxisScale::Linear || value > 0.0)
    }
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
pub enum AxisScale {
    /// Equal steps.
    #[default]
    Linear,
    /// Equal ratios; values must be positive.
    Logarithmic,
}
