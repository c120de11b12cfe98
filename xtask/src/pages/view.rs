//! The ways in which a page is looked at.

use std::fmt::{self, Display, Formatter};

/// A window and its owner's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct View {
    /// Width of the window in CSS pixels.
    pub(super) width: u32,
    /// `prefers-color-scheme`: "light" or "dark".
    pub(super) theme: &'static str,
    /// Whether the page's scripts run.
    pub(super) scripts: bool,
}

impl View {
    /// A desk's and a telephone's window by day and by night, and a reader who lets no scripts run,
    /// last.
    pub(super) const ALL: [Self; 5] = [
        Self { width: 1280, theme: "light", scripts: true },
        Self { width: 1280, theme: "dark", scripts: true },
        Self { width: 400, theme: "light", scripts: true },
        Self { width: 400, theme: "dark", scripts: true },
        Self { width: 1280, theme: "light", scripts: false },
    ];

    /// As part of a file's name.
    pub(super) fn suffix(&self) -> String {
        let scripts = if self.scripts { "" } else { "-no-scripts" };
        format!("{}-{}{scripts}", self.width, self.theme)
    }
}

impl Display for View {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {}{}",
            self.width,
            self.theme,
            if self.scripts { "" } else { " without scripts" }
        )
    }
}
