//! The few elements of SVG that pictures are made of.

use maud::{Markup, PreEscaped, html};

use crate::draw::figure::trimmed;
use crate::draw::label::{LINE, SIZE, clean};

/// A length or a place in user units, to a hundredth: the same digits on every machine.
pub(crate) fn n(value: f64) -> String {
    let value = if value.is_finite() { value.clamp(-1e6, 1e6) } else { 0.0 };
    trimmed(&format!("{value:.2}"))
}

/// Text whose baseline starts at a place.
pub(crate) fn text(class: &str, x: f64, y: f64, words: &str) -> Markup {
    html! { text class=(class) x=(n(x)) y=(n(y)) { (clean(words)) } }
}

/// Lines of text whose upper left corner is at a place; and where the line beneath them begins.
pub(crate) fn lines(
    class: &str,
    (x, y): (f64, f64),
    lines: impl IntoIterator<Item = String>,
) -> (Markup, f64) {
    let mut bottom = y;
    let parts = lines.into_iter().map(|words| {
        let line = text(class, x, bottom + SIZE, &words);
        bottom += LINE;
        line
    });
    (all(parts), bottom)
}

/// Text that reads upwards, its middle at a place.
pub(crate) fn upright(class: &str, x: f64, y: f64, words: &str) -> Markup {
    let upwards = format!("translate({} {}) rotate(-90)", n(x), n(y));
    html! { text class=(class) transform=(upwards) { (clean(words)) } }
}

pub(crate) fn line(class: &str, from: (f64, f64), to: (f64, f64)) -> Markup {
    let d = format!("M{} {}L{} {}", n(from.0), n(from.1), n(to.0), n(to.1));
    html! { path class=(class) d=(d) {} }
}

/// Lines from point to point. Fewer than two points are nothing.
pub(crate) fn polyline(class: &str, points: &[(f64, f64)]) -> Markup {
    if points.len() < 2 {
        return html! {};
    }
    let path: Vec<String> = points.iter().map(|(x, y)| format!("{},{}", n(*x), n(*y))).collect();
    html! { polyline class=(class) points=(path.join(" ")) {} }
}

/// A rectangle, with round corners of this radius.
pub(crate) fn rectangle(
    class: &str,
    (x, y): (f64, f64),
    (width, height): (f64, f64),
    round: f64,
) -> Markup {
    let [width, height] = [width, height].map(|side| n(side.max(0.0)));
    let round = (round > 0.0).then(|| n(round));
    html! { rect class=(class) x=(n(x)) y=(n(y)) width=(width) height=(height) rx=[round] {} }
}

pub(crate) fn circle(class: &str, (x, y): (f64, f64), radius: f64) -> Markup {
    html! { circle class=(class) cx=(n(x)) cy=(n(y)) r=(n(radius.max(0.0))) {} }
}

/// A group of elements with a tooltip; a screen reader reads it too.
pub(crate) fn with_tooltip(words: &str, body: &Markup) -> Markup {
    html! { g { title { (clean(words)) } (body) } }
}

/// Elements one after the other.
pub(crate) fn all(parts: impl IntoIterator<Item = Markup>) -> Markup {
    PreEscaped(parts.into_iter().map(PreEscaped::into_string).collect())
}

/// The mark of a series: circle, square, triangle, diamond, cross, and so on, so that no series is
/// distinguished by its colour alone.
pub(crate) fn marker(series: usize, (x, y): (f64, f64), size: f64) -> Markup {
    let class = format!("f{}", series % crate::draw::palette::SERIES);
    let path = |d: String| html! { path class=(class) d=(d) {} };
    let (r, s) = (n(size), n(size * 0.9));
    let (x, y) = (n(x), n(y));
    match series % 5 {
        0 => html! { circle class=(class) cx=(x) cy=(y) r=(r) {} },
        1 => path(format!("M{x} {y}m-{s} -{s}h{w}v{w}h-{w}z", w = n(size * 1.8))),
        2 => path(format!("M{x} {y}m0 -{r}l{r} {h}h-{h}z", h = n(size * 2.0))),
        3 => path(format!("M{x} {y}m0 -{h}l{h} {h}l-{h} {h}l-{h} -{h}z", h = n(size * 1.3))),
        _ => path(format!(
            "M{x} {y}m-{r} -{t}h{h}v{w}h-{h}zm{a} -{a}v{h}h{w}v-{h}z",
            t = n(size * 0.3),
            h = n(size * 2.0),
            w = n(size * 0.6),
            a = n(size * 0.7)
        )),
    }
}

/// How a series' line is dashed.
pub(crate) fn dash(series: usize) -> Option<&'static str> {
    [None, Some("7 3"), Some("2 3"), Some("9 3 2 3"), Some("4 4")][series % 5]
}
