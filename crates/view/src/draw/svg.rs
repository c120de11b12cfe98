//! Pictures as SVG: alone, or in a page.

use maud::{Markup, PreEscaped, html};

use crate::draw::canvas::{lines, n};
use crate::draw::label::{LINE, clean, wrapped};
use crate::draw::{Heading, Palette, Picture, Theme};

/// The widest drawing, user units.
pub const WIDTH: f64 = 960.0;

/// Room around a picture that stands alone, user units.
const MARGIN: f64 = 20.0;
/// Lines that a title, and a description, may take in a picture that stands alone.
const TITLE_LINES: usize = 2;
const DESCRIPTION_LINES: usize = 4;

/// The element that a page holds. `id` must be the picture's own in that page; the page brings the
/// colours ([`Palette::properties`]) and the rules ([`Palette::style`]).
pub fn inline(picture: &dyn Picture, id: &str) -> Markup {
    let drawing = picture.drawing();
    let heading = picture.heading();
    let (title, description) = (format!("{id}-title"), format!("{id}-description"));
    let (width, height) = (n(drawing.width), n(drawing.height));
    html! {
        svg class="nearfar" role="img" width=(width) height=(height)
            viewBox=(format!("0 0 {width} {height}"))
            aria-labelledby=(title) aria-describedby=(description) {
            title id=(title) { (clean(&heading.title)) }
            desc id=(description) { (clean(&heading.description())) }
            (drawing.body)
        }
    }
}

/// A document of its own, its colours written out: for papers, slides and renderers that know no
/// CSS variables.
pub fn standalone(picture: &dyn Picture, theme: Theme) -> String {
    let drawing = picture.drawing();
    let heading = picture.heading();
    let width = drawing.width.max(WIDTH / 2.0) + 2.0 * MARGIN;
    let (head, head_height) = head(heading, width - 2.0 * MARGIN);
    let (width, height) = (n(width), n(head_height + drawing.height + MARGIN));
    let svg = html! {
        svg xmlns="http://www.w3.org/2000/svg" class="nearfar" role="img"
            width=(width) height=(height) viewBox=(format!("0 0 {width} {height}"))
            aria-labelledby="title" aria-describedby="description" {
            title id="title" { (clean(&heading.title)) }
            desc id="description" { (clean(&heading.description())) }
            style { (PreEscaped(theme.palette().fixed_style())) }
            rect class="w" width=(width) height=(height) {}
            (head)
            g transform=(format!("translate({} {})", n(MARGIN), n(head_height))) { (drawing.body) }
        }
    };
    format!("{}\n", clean(&svg.into_string()))
}

/// The drawing alone, as a document in the reader's light or dark: an image in a page that has its
/// title and a description.
pub fn for_both_themes(picture: &dyn Picture) -> String {
    let drawing = picture.drawing();
    let (width, height) = (n(drawing.width), n(drawing.height));
    let style = Palette::page_properties() + &Palette::style();
    let svg = html! {
        svg xmlns="http://www.w3.org/2000/svg" class="nearfar" width=(width) height=(height)
            viewBox=(format!("0 0 {width} {height}")) {
            style { (PreEscaped(style)) }
            (drawing.body)
        }
    };
    format!("{}\n", clean(&svg.into_string()))
}

/// Title and description as lines, and the height they take.
fn head(heading: &Heading, room: f64) -> (Markup, f64) {
    let (title, y) = lines("h", (MARGIN, MARGIN), wrapped(&heading.title, room * 0.9, TITLE_LINES));
    let (description, y) =
        lines("q", (MARGIN, y), wrapped(&heading.description(), room, DESCRIPTION_LINES));
    (html! { (title) (description) }, y + LINE)
}

impl Palette {
    /// Both palettes as a page wants them: light, dark where the reader prefers it, light on paper.
    pub fn page_properties() -> String {
        format!(
            ":root{{color-scheme:light dark;{light}}}@media screen and \
             (prefers-color-scheme:dark){{:root{{{dark}}}}}",
            light = crate::draw::LIGHT.properties(),
            dark = crate::draw::DARK.properties(),
        )
    }
}
