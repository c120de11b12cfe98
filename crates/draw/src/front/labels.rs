//! Where names stand in a plane: beside their points, on nothing else.

/// A rectangle that is taken: its left, top, right and bottom, user units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Taken {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Taken {
    /// Everything between two points, and so much around.
    pub(super) fn between(a: (f64, f64), b: (f64, f64), around: f64) -> Self {
        Self {
            left: a.0.min(b.0) - around,
            top: a.1.min(b.1) - around,
            right: a.0.max(b.0) + around,
            bottom: a.1.max(b.1) + around,
        }
    }

    fn meets(&self, other: &Self) -> bool {
        self.left < other.right && other.left < self.right && self.top < other.bottom && other.top < self.bottom
    }

    fn is_within(&self, room: &Self) -> bool {
        self.left >= room.left && self.right <= room.right && self.top >= room.top && self.bottom <= room.bottom
    }
}

/// What is taken in a plane.
pub(super) struct Labels {
    room: Taken,
    taken: Vec<Taken>,
    /// Names go first to the side of the better corner, where no other points are: left, or right.
    better_is_right: bool,
}

/// The distances from a point that are tried, user units.
const DISTANCES: [f64; 2] = [8.0, 15.0];

impl Labels {
    /// An empty plane.
    pub(super) fn new(room: Taken, better_is_right: bool) -> Self {
        Self { room, taken: Vec::new(), better_is_right }
    }

    /// Keeps names away from here.
    pub(super) fn take(&mut self, taken: Taken) {
        self.taken.push(taken);
    }

    /// A free place of this size beside a point; it is taken from now on. None where all around is full.
    pub(super) fn place(&mut self, point: (f64, f64), size: (f64, f64)) -> Option<Taken> {
        let found = DISTANCES
            .into_iter()
            .flat_map(|distance| self.around(point, size, distance))
            .find(|place| place.is_within(&self.room) && !self.taken.iter().any(|taken| taken.meets(place)))?;
        self.taken.push(found);
        Some(found)
    }

    fn around(&self, (x, y): (f64, f64), (wide, high): (f64, f64), far: f64) -> [Taken; 8] {
        let near = far * 0.6;
        let side = if self.better_is_right { 1.0 } else { -1.0 };
        // The middle of the label, from the point, in half widths and heights and in distances.
        let ways =
            [(1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (-1.0, 0.0), (-1.0, -1.0), (0.0, -1.0), (-1.0, 1.0), (1.0, -1.0)];
        ways.map(|(across, down)| {
            let gap = if across != 0.0 && down != 0.0 { near } else { far };
            let middle = (x + side * across * (wide / 2.0 + gap), y + down * (high / 2.0 + gap));
            Taken {
                left: middle.0 - wide / 2.0,
                top: middle.1 - high / 2.0,
                right: middle.0 + wide / 2.0,
                bottom: middle.1 + high / 2.0,
            }
        })
    }
}
