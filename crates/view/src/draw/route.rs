//! A link drawn as a straight line, with its label on it.

use maud::{Markup, html};

use crate::draw::PlanLink;
use crate::draw::block::Frame;
use crate::draw::canvas::{line, rectangle, text, with_tooltip};
use crate::draw::label::{SIZE, fitted, width};

/// A link with its ends on the drawing.
pub(crate) struct LinkRoute<'a> {
    pub(crate) link: &'a PlanLink,
    pub(crate) from: (f64, f64),
    pub(crate) to: (f64, f64),
    /// Its label as far as it fits, and where it stands; none where there is no room.
    pub(crate) label: Option<(String, Frame)>,
}

impl<'a> LinkRoute<'a> {
    pub(crate) const fn new(link: &'a PlanLink, from: (f64, f64), to: (f64, f64)) -> Self {
        Self { link, from, to, label: None }
    }

    pub(crate) fn line(&self) -> Markup {
        with_tooltip(&self.link.text(), &line(self.link.source.class(), self.from, self.to))
    }

    pub(crate) fn written(&self) -> Markup {
        let Some((words, frame)) = &self.label else { return html! {} };
        html! {
            (rectangle("w", (frame.x, frame.y), (frame.width, frame.height), 3.0))
            (text("t d", frame.x + frame.width / 2.0, frame.y + SIZE, words))
        }
    }

    /// The label at the first of these shares of the line where it is free.
    fn label_at(
        &self,
        shares: &[f64],
        widest: f64,
        is_free: impl Fn(&Frame) -> bool,
    ) -> Option<(String, Frame)> {
        let words = fitted(&self.link.label, widest);
        if words.is_empty() {
            return None;
        }
        let (width, height) = (width(&words) + 4.0, SIZE + 4.0);
        let at = |share: &f64| Frame {
            x: self.from.0 + share * (self.to.0 - self.from.0) - width / 2.0,
            y: self.from.1 + share * (self.to.1 - self.from.1) - height / 2.0,
            width,
            height,
        };
        shares.iter().map(at).find(is_free).map(|frame| (words, frame))
    }
}

/// Labels links one after the other where they cover nothing: no other label, no other line, and
/// nothing else for which `is_free` is false. `shares` of a line are tried in their order; labels
/// have a widest width, and a gap between them.
pub(crate) fn label_all(
    routes: &mut [LinkRoute<'_>],
    shares: &[f64],
    (widest, gap): (f64, f64),
    is_free: impl Fn(&Frame) -> bool,
) {
    for k in 0..routes.len() {
        let covers_nothing = |frame: &Frame| {
            let touches = |route: &LinkRoute<'_>| {
                route.label.as_ref().is_some_and(|(_, other)| other.touches(frame, gap))
            };
            let mut others = routes.iter().enumerate().filter(|(j, _)| *j != k);
            is_free(frame)
                && !routes.iter().any(touches)
                && !others.any(|(_, other)| frame.is_crossed(other.from, other.to))
        };
        routes[k].label = routes[k].label_at(shares, widest, covers_nothing);
    }
}
