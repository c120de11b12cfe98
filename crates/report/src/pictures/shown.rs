//! The pictures of one kind, and what they do not show.

use nearfar_draw::{Curves, HeatMap, Picture};

/// A picture that may still be made comparable with others ([`same_scale`]).
#[derive(Debug)]
pub enum Drawn {
    /// A matrix.
    Map(HeatMap),
    /// Lines.
    Curves(Curves),
    /// Any other.
    Other(Box<dyn Picture>),
}

/// The pictures of one kind.
#[derive(Debug, Default)]
pub struct Shown {
    /// The pictures.
    pub pictures: Vec<Drawn>,
    /// What they do not show, and why; a sentence each.
    pub remarks: Vec<String>,
}

impl Drawn {
    /// What it is to who draws it.
    pub fn picture(&self) -> &dyn Picture {
        match self {
            Self::Map(map) => map,
            Self::Curves(curves) => curves,
            Self::Other(picture) => picture.as_ref(),
        }
    }

    /// The picture itself.
    pub fn into_picture(self) -> Box<dyn Picture> {
        match self {
            Self::Map(map) => Box::new(map),
            Self::Curves(curves) => Box::new(curves),
            Self::Other(picture) => picture,
        }
    }
}

impl Shown {
    pub(crate) fn of(
        pictures: impl IntoIterator<Item = Drawn>,
        remarks: impl IntoIterator<Item = String>,
    ) -> Self {
        Self { pictures: pictures.into_iter().collect(), remarks: remarks.into_iter().collect() }
    }

    pub(crate) fn one(picture: impl Picture + 'static) -> Self {
        Self::of([Drawn::Other(Box::new(picture))], [])
    }

    pub(crate) fn remark(mut self, remark: impl Into<String>) -> Self {
        self.remarks.push(remark.into());
        self
    }
}
