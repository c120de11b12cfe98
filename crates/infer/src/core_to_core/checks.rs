//! Pairs drawn at random, to test what is made of the others.

/// Random checks, made and open.
#[derive(Clone, Debug, Default)]
pub(crate) struct Checks {
    pub(crate) made: Vec<(usize, usize)>,
    pub(crate) in_a_row: usize,
    pub(crate) contradictions: usize,
    pub(crate) open: Vec<(usize, usize)>,
}
