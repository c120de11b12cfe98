//! Fast against steady: what nothing else beats in both.

mod drawing;
mod terminal;
#[cfg(test)]
mod tests;

use crate::draw::block::Frame;
use crate::draw::figure::precise;
use crate::draw::{Drawing, FigureTable, Heading, Picture, Quantity, Screen};

/// Points off the front, and on it, that are drawn; more are thinned out evenly.
const MOST: usize = 1000;

/// Points in a plane in which less is better both ways (or as `better` defines).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Front {
    /// Title and description.
    pub heading: Heading,
    /// What goes across: run time.
    pub across: Quantity,
    /// What goes up: its spread.
    pub up: Quantity,
    /// Whether more is better across (a rate): the corner to be in is then at the lower right.
    pub more_is_better: bool,
    /// What is compared.
    pub points: Vec<FrontPoint>,
}

/// One of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrontPoint {
    /// Its name, written beside it.
    pub name: String,
    /// Across.
    pub x: f64,
    /// Up.
    pub y: f64,
    /// Its interval across, where there is one.
    pub interval: Option<[f64; 2]>,
    /// Whether it is on the front: nothing is better in both.
    pub on_front: bool,
    /// A note beside it: "fastest".
    pub note: String,
}

impl Front {
    /// What the corner is called in which nothing is better.
    fn corner(&self) -> &'static str {
        if self.more_is_better {
            "lower right: better and steadier"
        } else {
            "lower left: better and steadier"
        }
    }

    /// The values across and those up, intervals included.
    fn on_axes(&self) -> (Vec<f64>, Vec<f64>) {
        let across = self
            .points
            .iter()
            .flat_map(|point| point.interval.iter().flatten().chain([&point.x]))
            .copied();
        (across.collect(), self.points.iter().map(|point| point.y).collect())
    }

    /// What is not drawn, a sentence each.
    fn notes(&self, left_out: usize, thinned: bool) -> Vec<String> {
        let cannot_stand = format!("{left_out} of the points cannot stand on these axes.");
        let most = format!(
            "At most {MOST} points on the front and {MOST} off it are drawn, evenly taken."
        );
        [(left_out > 0).then_some(cannot_stand), thinned.then_some(most)]
            .into_iter()
            .flatten()
            .collect()
    }
}

impl FrontPoint {
    /// Its name and its note.
    fn called(&self) -> String {
        if self.note.is_empty() {
            self.name.clone()
        } else {
            format!("{} ({})", self.name, self.note)
        }
    }
}

impl Picture for Front {
    fn heading(&self) -> &Heading {
        &self.heading
    }

    fn heading_mut(&mut self) -> &mut Heading {
        &mut self.heading
    }

    fn drawing(&self) -> Drawing {
        drawing::of(self)
    }

    fn table(&self) -> FigureTable {
        let columns =
            ["what", &self.across.label, "interval", &self.up.label, "on the front", "note"];
        let rows = self.points.iter().map(|point| {
            let interval = point
                .interval
                .map_or("–".to_owned(), |[a, b]| format!("{} to {}", precise(a), precise(b)));
            let on_front = if point.on_front { "yes" } else { "no" }.to_owned();
            vec![
                point.name.clone(),
                precise(point.x),
                interval,
                precise(point.y),
                on_front,
                point.note.clone(),
            ]
        });
        FigureTable::new(&columns, rows.collect())
    }

    fn in_terminal(&self, screen: &Screen) -> Option<String> {
        Some(terminal::of(self, screen))
    }
}

/// What is taken in a plane.
struct LabelSpace {
    room: Frame,
    taken: Vec<Frame>,
    /// Names go first to the side of the better corner, where no other points are: left, or right.
    better_is_right: bool,
}

/// The distances from a point that are tried, user units.
const DISTANCES: [f64; 2] = [8.0, 15.0];

impl LabelSpace {
    fn new(room: Frame, better_is_right: bool) -> Self {
        Self { room, taken: Vec::new(), better_is_right }
    }

    /// Keeps names away from here.
    fn take(&mut self, taken: Frame) {
        self.taken.push(taken);
    }

    /// A free place of this size beside a point; it is taken from now on. None where all around is
    /// full.
    fn place(&mut self, point: (f64, f64), size: (f64, f64)) -> Option<Frame> {
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
