//! The option of commands whose text leaves lines out.

use clap::Args;
use nearfar_view::text::first_lines;

/// As the user wants it.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct VerboseOption {
    /// Show all of it: no list is cut, and nothing alike shares a line
    #[arg(long, conflicts_with = "json")]
    verbose: bool,
}

impl VerboseOption {
    /// Leaves nothing out from now on, where the user wants that.
    pub(crate) fn obey(self) -> bool {
        if self.verbose {
            first_lines::show_all();
        }
        self.verbose
    }
}
