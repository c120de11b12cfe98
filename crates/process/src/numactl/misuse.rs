//! Invalid arguments.

/// What is wrong with the arguments; none for a request for help.
#[derive(Debug, PartialEq)]
pub(crate) struct Misuse(pub(crate) Option<String>);

impl Misuse {
    /// A request for help.
    pub(crate) const HELP: Self = Self(None);
}

impl<E: ToString> From<E> for Misuse {
    fn from(wrong: E) -> Self {
        Self(Some(wrong.to_string()))
    }
}
