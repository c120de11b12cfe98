//! The response of all of a program's memory, where a random part of it changed its place.
//!
//! Let `q` be the share that stayed where it was found. A program's time is a mean over its
//! accesses. So with the part at a dose it takes `T(u) = q F + (1 - q) A(u)`, where `F` is its time
//! with all pages as they were found, and `A(u)` that with all of them at this dose. `T` and `F`
//! are measured, and `A` follows, wherever the pages that it uses were found.

use super::{Response, ResponseFigure, verdict};

/// With less left of the time, the part is too small for what it is beside.
const LEAST: f64 = 0.02;

/// A part of the pages that was drawn at random, beside the others as they were found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartOfPages {
    /// From 0 to 1.
    pub share: f64,
    /// The time with all pages as they were found, where 1 is that with the part near.
    pub as_found: ResponseFigure,
}

impl PartOfPages {
    /// The time with all pages at a dose, where 1 is that with all near.
    pub fn time(&self, of_part: ResponseFigure) -> ResponseFigure {
        let value = self.whole(of_part.value, self.as_found.value);
        let own = of_part.ci95.map(|time| self.whole(time, self.as_found.value) - value);
        let found = self.as_found.ci95.map(|found| self.whole(of_part.value, found) - value);
        let reach = |end: usize| {
            let outwards = |difference: f64| if end == 0 { -difference } else { difference };
            let found = found.map(outwards).into_iter().fold(0.0, f64::max);
            own[end].hypot(found)
        };
        ResponseFigure { value, ci95: [value - reach(0), value + reach(1)] }
    }

    /// The time with all pages as they were found, where 1 is that with all near.
    pub fn time_as_found(&self) -> ResponseFigure {
        let ResponseFigure { value, ci95 } = self.as_found;
        let at = |found: f64| self.whole(found, found);
        ResponseFigure { value: at(value), ci95: ci95.map(at) }
    }

    /// The response of all pages.
    pub fn response(&self, of_part: &Response) -> Response {
        let plus_one = |one: &ResponseFigure| ResponseFigure {
            value: 1.0 + one.value,
            ci95: one.ci95.map(|end| 1.0 + end),
        };
        let minus_one = |one: ResponseFigure| ResponseFigure {
            value: one.value - 1.0,
            ci95: one.ci95.map(|end| end - 1.0),
        };
        let effect = of_part.effect.map(|effect| minus_one(self.time(plus_one(&effect))));
        let range = of_part.highest - of_part.lowest;
        let slope = effect.map(|effect| ResponseFigure {
            value: effect.value / range,
            ci95: effect.ci95.map(|end| end / range),
        });
        let scale = 1.0 / self.left(self.as_found.value);
        let bend = of_part.bend.map(|bend| ResponseFigure {
            value: scale * bend.value,
            ci95: bend.ci95.map(|end| scale * end),
        });
        let most = 1.0 / self.left(self.as_found.ci95[1]);
        let at_most = of_part.at_most.map(|at_most| most * at_most);
        let verdict = match effect {
            Some(effect) => verdict(effect.ci95, at_most.unwrap_or(f64::INFINITY), of_part.bends),
            None => of_part.verdict,
        };
        Response { effect, slope, bend, at_most, verdict, ..of_part.clone() }
    }

    fn whole(&self, of_part: f64, found: f64) -> f64 {
        1.0 + (of_part - 1.0) / self.left(found)
    }

    /// What is left of the time with the part near without the pages that stayed.
    fn left(&self, found: f64) -> f64 {
        (1.0 - (1.0 - self.share) * found).max(LEAST)
    }
}
