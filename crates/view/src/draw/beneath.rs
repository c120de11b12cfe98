//! What stands beneath a picture of links: what its lines mean, and notes.

use maud::{Markup, html};

use crate::draw::canvas::{all, line, lines, text};
use crate::draw::label::{LINE, SIZE, width, wrapped};
use crate::draw::{LinkSource, PlanLink};

/// A line of the key, and from it to its word and from there to the next line, user units.
const SAMPLE: f64 = 28.0;
const AFTER: f64 = 6.0;
const APART: f64 = 24.0;

/// The key of these links, then notes of at most `most` lines each, from `y` on; and where they
/// end.
pub(crate) fn beneath(
    links: &[&PlanLink],
    notes: &[String],
    (room, y): (f64, f64),
    most: usize,
) -> (Markup, f64) {
    let (mut parts, mut x, mut y) = (Vec::new(), 0.0, y);
    for kind in
        LinkSource::ALL.into_iter().filter(|kind| links.iter().any(|link| link.source == *kind))
    {
        parts.push(html! {
            g stroke-width="1.7" { (line(kind.class(), (x, y + 9.0), (x + SAMPLE, y + 9.0))) }
            (text("q", x + SAMPLE + AFTER, y + SIZE, kind.name()))
        });
        x += SAMPLE + AFTER + width(kind.name()) + APART;
    }
    y += if x > 0.0 { LINE } else { 0.0 };
    let (notes, y) = lines("q", (0.0, y), notes.iter().flat_map(|note| wrapped(note, room, most)));
    (html! { (all(parts)) (notes) }, y)
}
