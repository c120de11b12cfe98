//! Words that a program cannot follow.

/// What is wrong with the words; nothing where they only ask for help.
#[derive(Debug, PartialEq)]
pub(crate) struct Misuse(pub(crate) Option<String>);

impl Misuse {
    /// A plea for help.
    pub(crate) const HELP: Self = Self(None);
}

impl<E: ToString> From<E> for Misuse {
    fn from(wrong: E) -> Self {
        Self(Some(wrong.to_string()))
    }
}
