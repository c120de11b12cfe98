//! What a terminal can show. The command finds out; nothing here asks a terminal.

/// A terminal's abilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    /// Characters in a line.
    pub columns: usize,
    /// Whether it shows colours (24 bit).
    pub colours: bool,
    /// Whether it shows characters beyond ASCII: blocks and Braille.
    pub unicode: bool,
}

impl Screen {
    /// A file or a pipe: 100 characters, no colour, Unicode.
    pub const PLAIN: Self = Self { columns: 100, colours: false, unicode: true };
}
