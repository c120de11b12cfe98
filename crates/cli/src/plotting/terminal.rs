//! What this terminal can show.

use std::env;
use std::io::{self, IsTerminal};

use nearfar_draw::Screen;

/// Narrower ones are taken to be this wide: lines then wrap.
const NARROWEST: usize = 40;

/// Of standard output: its width, colours where it has them all, and whether the locale is UTF-8.
pub(crate) fn screen() -> Screen {
    let out = io::stdout();
    if !out.is_terminal() {
        return Screen { unicode: true, ..Screen::PLAIN };
    }
    let columns = rustix::termios::tcgetwinsize(&out)
        .ok()
        .map(|size| usize::from(size.ws_col))
        .filter(|&columns| columns > 0);
    Screen {
        columns: columns.or_else(named_columns).unwrap_or(Screen::PLAIN.columns).max(NARROWEST),
        colours: has_colours(),
        unicode: is_utf8(),
    }
}

fn named_columns() -> Option<usize> {
    env::var("COLUMNS").ok()?.parse().ok()
}

/// 24-bit colours, where nobody said NO_COLOR.
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

fn is_utf8() -> bool {
    let first = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .filter_map(|name| env::var(name).ok())
        .find(|value| !value.is_empty());
    first.is_some_and(|locale| locale.to_ascii_lowercase().replace('-', "").contains("utf8"))
}
