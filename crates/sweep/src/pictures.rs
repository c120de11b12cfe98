//! The pictures of a sweep.

mod front;
mod placements;
mod scaling;

use nearfar_view::draw::Picture;

use crate::Sweep;

/// What a picture of a sweep is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SweepKind {
    /// Every run of every configuration.
    Placements,
    /// Fast against steady.
    Front,
    /// Figures over jobs.
    Scaling,
}

impl SweepKind {
    /// All of them, in the order of a page.
    pub const ALL: [Self; 3] = [Self::Placements, Self::Front, Self::Scaling];

    /// The name by which users ask for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Placements => "placements",
            Self::Front => "front",
            Self::Scaling => "scaling",
        }
    }

    /// Its heading on a page.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Placements => "Every run",
            Self::Front => "Fast against steady",
            Self::Scaling => "What more jobs give",
        }
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The kinds that a sweep has pictures of.
    pub fn from_sweep(sweep: &Sweep) -> Vec<Self> {
        Self::ALL.into_iter().filter(|kind| kind.draw(sweep).is_some()).collect()
    }

    /// Its picture; none where the sweep has nothing to show in it.
    pub fn draw(self, sweep: &Sweep) -> Option<Box<dyn Picture>> {
        match self {
            Self::Placements => {
                placements::draw(sweep).map(|picture| Box::new(picture) as Box<dyn Picture>)
            }
            Self::Front => front::draw(sweep).map(|picture| Box::new(picture) as Box<dyn Picture>),
            Self::Scaling => {
                scaling::draw(sweep).map(|picture| Box::new(picture) as Box<dyn Picture>)
            }
        }
    }
}

/// What runs are judged by, with its unit: "run time, s", or the metric's name.
fn objective(sweep: &Sweep) -> String {
    match &sweep.objective.metric {
        None => "run time, s".to_owned(),
        Some(_) => sweep.objective.name.clone(),
    }
}
