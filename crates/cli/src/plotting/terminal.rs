//! What this terminal can show.

use std::env;
use std::io::{self, IsTerminal};

use nearfar_view::draw::Screen;
use nearfar_view::terminal::{charset, width};

/// Of standard output: its width (in a pipe COLUMNS), colours where it has them all, and whether
/// the locale is UTF-8.
pub(crate) fn screen() -> Screen {
    let out = io::stdout();
    if !out.is_terminal() {
        let unicode = !charset::is_ascii();
        return Screen { columns: width::current(), unicode, ..Screen::PLAIN };
    }
    Screen { columns: width::current(), colours: has_colours(), unicode: !charset::is_ascii() }
}

/// 24-bit colours, unless NO_COLOR is set.
fn has_colours() -> bool {
    let refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = env::var("TERM").is_ok_and(|term| term == "dumb");
    let named = |name: &str, values: &[&str]| {
        env::var(name).is_ok_and(|value| values.iter().any(|one| value.contains(one)))
    };
    let stripped = anstream::AutoStream::choice(&io::stdout()) == anstream::ColorChoice::Never;
    !refused
        && !dumb
        && !stripped
        && (named("COLORTERM", &["truecolor", "24bit"]) || named("TERM", &["direct"]))
}
