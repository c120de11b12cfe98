//! How fast an exercise went.

/// Rates of an exercise, in bytes a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rates {
    /// Over all passes.
    Passes {
        /// All bytes over all time.
        average: f64,
        /// Of the fastest pass.
        fastest: f64,
        /// Of the slowest pass.
        slowest: f64,
    },
    /// The best pass of each kernel of STREAM.
    Stream {
        /// a = b
        copy: f64,
        /// a = q b
        scale: f64,
        /// a = b + c
        add: f64,
        /// a = b + q c
        triad: f64,
    },
}
