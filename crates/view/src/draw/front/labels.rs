//! Where names stand in a plane: beside their points, on nothing else.

use crate::draw::block::Frame;

/// What is taken in a plane.
pub(super) struct LabelSpace {
    room: Frame,
    taken: Vec<Frame>,
    /// Names go first to the side of the better corner, where no other points are: left, or right.
    better_is_right: bool,
}

/// The distances from a point that are tried, user units.
const DISTANCES: [f64; 2] = [8.0, 15.0];

impl LabelSpace {
    pub(super) fn new(room: Frame, better_is_right: bool) -> Self {
        Self { room, taken: Vec::new(), better_is_right }
    }

    /// Keeps names away from here.
    pub(super) fn take(&mut self, taken: Frame) {
        self.taken.push(taken);
    }

    /// A free place of this size beside a point; it is taken from now on. None where all around is
    /// full.
    pub(super) fn place(&mut self, point: (f64, f64), size: (f64, f64)) -> Option<Frame> {
        let found = DISTANCES
            .into_iter()
            .flat_map(|distance| self.around(point, size, distance))
            .find(|place| {
            place.is_within(&self.room) && !self.taken.iter().any(|taken| taken.touches(place, 0.0))
        })?;
        self.taken.push(found);
        Some(found)
    }

    fn around(&self, (x, y): (f64, f64), (wide, high): (f64, f64), far: f64) -> [Frame; 8] {
        let near = far * 0.6;
        let side = if self.better_is_right { 1.0 } else { -1.0 };
        // The middle of the label, from the point, in half widths and heights and in distances.
        let ways = [
            (1.0, 0.0),
            (1.0, 1.0),
            (0.0, 1.0),
            (-1.0, 0.0),
            (-1.0, -1.0),
            (0.0, -1.0),
            (-1.0, 1.0),
            (1.0, -1.0),
        ];
        ways.map(|(across, down)| {
            let gap = if across != 0.0 && down != 0.0 { near } else { far };
            let middle = (x + side * across * (wide / 2.0 + gap), y + down * (high / 2.0 + gap));
            Frame { x: middle.0 - wide / 2.0, y: middle.1 - high / 2.0, width: wide, height: high }
        })
    }
}
