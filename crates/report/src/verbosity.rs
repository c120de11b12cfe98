//! How much a screen shows.

/// How much of a survey a screen shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verbosity {
    /// Figures and their intervals; the three most important warnings; of several instruments a
    /// table of all.
    Brief,
    /// The evidence as well: p, standard errors, rounds, controls. Every warning with its remedy.
    Verbose,
}

impl Verbosity {
    /// As '--verbose' wants it.
    pub const fn new(is_verbose: bool) -> Self {
        if is_verbose { Self::Verbose } else { Self::Brief }
    }
}
