//! What every page has: head, style, and what it forbids itself.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use nearfar_view::draw::Palette;
use nearfar_view::terminal::printable;

use super::sentence::words;

/// Nothing is loaded; style and pictures stand in the page.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri \
                      'none'; form-action 'none'";
/// The element near a page's start that names its maker.
const GENERATOR: &str = "<meta name=\"generator\" content=\"nearfar\">";
const STYLE: &str = include_str!("style.css");

/// A section of a page: its name in links, its heading, what is in it.
pub(super) struct Section {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) body: Markup,
}

impl Section {
    pub(super) fn new(id: impl Into<String>, title: impl Into<String>, body: Markup) -> Self {
        Self { id: id.into(), title: title.into(), body }
    }
}

/// A whole page: a heading, what stands first, then its sections with a list of them.
pub(super) fn page(title: &str, head: &Markup, sections: &[Section]) -> String {
    let style = [&Palette::page_properties(), &Palette::style(), STYLE].concat();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                (PreEscaped(GENERATOR))
                title { (words(title)) " · nearfar" }
                style { (PreEscaped(style)) }
            }
            body {
                header { h1 { (words(title)) } (head) }
                @if sections.len() > 2 {
                    nav aria-label="On this page" {
                        ul {
                            @for section in sections {
                                li { a href=(format!("#{}", section.id)) { (section.title) } }
                            }
                        }
                    }
                }
                main {
                    @for one in sections {
                        section id=(one.id) { h2 { (one.title) } (one.body) }
                    }
                }
                footer {
                    p {
                        "Made by nearfar " (env!("CARGO_PKG_VERSION"))
                        ". It needs no network and no script."
                    }
                }
            }
        }
    };
    // Whatever is not cleaned by itself, such as a title.
    printable::lines(&page.into_string()) + "\n"
}
