//! The width that text and tables wrap to.
//!
//! Reports read [`current`], which is [`DEFAULT`] until the command sets the terminal's width: the
//! same document then gives the same bytes on any machine, and tests can set any width.

use std::cell::Cell;
use std::env;
use std::io::{self, IsTerminal};

/// Columns without a terminal and without `COLUMNS`, as in pipes.
pub const DEFAULT: usize = 100;
/// Narrower terminals break lines themselves.
const NARROWEST: usize = 40;

thread_local! {
    static CURRENT: Cell<usize> = const { Cell::new(DEFAULT) };
}

/// The columns that this thread's text wraps to.
pub fn current() -> usize {
    CURRENT.get()
}

/// Sets the columns for this thread; at least 40.
pub fn set(columns: usize) {
    CURRENT.set(columns.max(NARROWEST));
}

/// Runs `work` at another width.
pub fn with<T>(columns: usize, work: impl FnOnce() -> T) -> T {
    let before = current();
    set(columns);
    let done = work();
    set(before);
    done
}

/// The columns of standard output's terminal, else the variable `COLUMNS`, else [`DEFAULT`].
pub fn detect() -> usize {
    for_terminal().or_else(for_environment).unwrap_or(DEFAULT)
}

fn for_terminal() -> Option<usize> {
    let out = io::stdout();
    let size = out.is_terminal().then(|| rustix::termios::tcgetwinsize(&out).ok())??;
    Some(usize::from(size.ws_col)).filter(|&columns| columns > 0)
}

fn for_environment() -> Option<usize> {
    env::var("COLUMNS").ok()?.parse().ok().filter(|&columns| columns > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_width_holds_for_its_work_only() {
        assert_eq!(current(), DEFAULT);
        assert_eq!(with(72, current), 72);
        assert_eq!(with(1, current), NARROWEST);
        assert_eq!(current(), DEFAULT);
    }
}
