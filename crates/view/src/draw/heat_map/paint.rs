//! What a cell is painted with, and ink that can be read on it.

use anstyle::RgbColor;
use colorous::Color;

use crate::draw::canvas::n;
use crate::draw::palette::LIGHT;
use crate::draw::ramp::{css, ink_on, ramp};

/// How opaque the ends of a diverging scale are: the page's ink stays readable on them, in light
/// and in dark.
pub(crate) const MOST_OPAQUE: f64 = 0.55;
/// Series whose colours the two sides have: blue and orange differ for all eyes.
pub(crate) const BELOW: usize = 0;
pub(crate) const ABOVE: usize = 1;

/// A colour of the ramp, or of a diverging scale: the page's ground at zero, blue below, orange
/// above.
#[derive(Clone, Copy, Debug)]
pub(super) enum Paint {
    Ramp(Color),
    /// From -1 to 1.
    Diverging(f64),
}

impl Paint {
    /// That of a place on a ramp, 0 to 1.
    pub(super) fn on_ramp(place: f64) -> Self {
        Self::Ramp(ramp(place))
    }

    /// That of a place on a diverging scale, 0 to 1: zero is in the middle.
    pub(super) fn diverging(place: f64) -> Self {
        let share = 2.0 * place - 1.0;
        Self::Diverging(if share.is_finite() { share.clamp(-1.0, 1.0) } else { 0.0 })
    }

    /// The class of an area; none where its colour is written out.
    pub(super) fn class(self) -> Option<String> {
        match self {
            Self::Ramp(_) => None,
            Self::Diverging(share) => Some(format!("g f{}", side(share))),
        }
    }

    pub(super) fn fill(self) -> Option<String> {
        match self {
            Self::Ramp(colour) => Some(css(colour)),
            Self::Diverging(_) => None,
        }
    }

    pub(super) fn opacity(self) -> Option<String> {
        match self {
            Self::Ramp(_) => None,
            Self::Diverging(share) => Some(n(share.abs() * MOST_OPAQUE)),
        }
    }

    /// Black or white; none where the page's ink is read best.
    pub(super) fn ink(self) -> Option<&'static str> {
        match self {
            Self::Ramp(colour) => Some(ink_on(colour)),
            Self::Diverging(_) => None,
        }
    }

    /// The class of text on it.
    pub(super) fn ink_class(self) -> Option<&'static str> {
        self.ink().is_none().then_some("t")
    }

    /// Ground and ink on a terminal, whose own ground is not known: a diverging scale has white at
    /// zero.
    pub(super) fn in_terminal(self) -> [RgbColor; 2] {
        const BLACK: RgbColor = RgbColor(0, 0, 0);
        match self {
            Self::Ramp(colour) => {
                let ink = if ink_on(colour) == "#000000" { BLACK } else { RgbColor(255, 255, 255) };
                [RgbColor(colour.r, colour.g, colour.b), ink]
            }
            Self::Diverging(share) => {
                let series = LIGHT.series[side(share)];
                let opacity = share.abs() * MOST_OPAQUE;
                let part = |at: usize| {
                    let full = u8::from_str_radix(&series[at..at + 2], 16).unwrap_or(0);
                    (255.0 - opacity * (255.0 - f64::from(full))).round() as u8
                };
                [RgbColor(part(1), part(3), part(5)), BLACK]
            }
        }
    }
}

fn side(share: f64) -> usize {
    if share < 0.0 { BELOW } else { ABOVE }
}
