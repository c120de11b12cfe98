//! Pictures as SVG: alone, or in a page.

use maud::{Markup, PreEscaped, html};

use crate::canvas::{all, n, text};
use crate::label::{self, clean, wrapped};
use crate::{Drawing, Palette, Picture, Theme};

/// The widest drawing, user units.
pub const WIDTH: f64 = 960.0;

/// Room around a picture that stands alone, user units.
const MARGIN: f64 = 20.0;
/// Lines that a title, and a description, may take in a picture that stands alone.
const TITLE_LINES: usize = 2;
const DESCRIPTION_LINES: usize = 4;

/// The element that a page holds. `id` must be the picture's own in that page; the page brings the colours ([`Palette::properties`]) and the
/// rules ([`Palette::style`]).
pub fn inline(picture: &dyn Picture, id: &str) -> Markup {
    let drawing = picture.drawing();
    let heading = picture.heading();
    let (title, description) = (format!("{id}-title"), format!("{id}-description"));
    html! {
        svg class=(class(drawing.width)) role="img" width=(n(drawing.width)) height=(n(drawing.height))
            viewBox=(format!("0 0 {} {}", n(drawing.width), n(drawing.height)))
            aria-labelledby=(title) aria-describedby=(description) {
            title id=(title) { (clean(&heading.title)) }
            desc id=(description) { (clean(&heading.description)) }
            (drawing.body)
        }
    }
}

/// What a page knows of a drawing's width, for readers whose windows are narrower: more than 700 user units are "wide", more than 360 "medium".
fn class(width: f64) -> &'static str {
    match width {
        w if w > 700.0 => "nearfar wide",
        w if w > 360.0 => "nearfar medium",
        _ => "nearfar",
    }
}

/// A document of its own, its colours written out: for papers, slides and renderers that know no CSS variables.
pub fn standalone(picture: &dyn Picture, theme: Theme) -> String {
    let drawing = picture.drawing();
    let heading = picture.heading();
    let width = drawing.width.max(WIDTH / 2.0) + 2.0 * MARGIN;
    let (head, head_height) = head(&heading.title, &heading.description, width - 2.0 * MARGIN);
    let height = head_height + drawing.height + MARGIN;
    let palette = theme.palette();
    let svg = html! {
        svg xmlns="http://www.w3.org/2000/svg" class="nearfar" role="img" width=(n(width)) height=(n(height))
            viewBox=(format!("0 0 {} {}", n(width), n(height)))
            aria-labelledby="title" aria-describedby="description" {
            title id="title" { (clean(&heading.title)) }
            desc id="description" { (clean(&heading.description)) }
            style { (PreEscaped(palette.fixed_style())) }
            (backdrop(width, height))
            (head)
            (placed(&drawing, (MARGIN, head_height)))
        }
    };
    format!("{}\n", svg.into_string())
}

fn backdrop(width: f64, height: f64) -> Markup {
    html! { rect class="w" width=(n(width)) height=(n(height)) {} }
}

fn placed(drawing: &Drawing, (x, y): (f64, f64)) -> Markup {
    html! { g transform=(format!("translate({} {})", n(x), n(y))) { (drawing.body) } }
}

/// Title and description as lines, and the height they take.
fn head(title: &str, description: &str, room: f64) -> (Markup, f64) {
    let mut y = MARGIN;
    let mut lines = Vec::new();
    let mut set = |class: &str, words: Vec<String>| {
        for line in words {
            y += label::LINE;
            lines.push(text(class, MARGIN, y - 5.0, &line));
        }
    };
    set("h", wrapped(title, room * 0.9, TITLE_LINES));
    set("q", wrapped(description, room, DESCRIPTION_LINES));
    (all(lines), y + label::LINE)
}

impl Palette {
    /// Both palettes as a page wants them: light, dark where the reader prefers it, light on paper.
    pub fn page_properties() -> String {
        format!(
            ":root{{color-scheme:light dark;{light}}}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}",
            light = crate::LIGHT.properties(),
            dark = crate::DARK.properties(),
        )
    }
}
