//! The pictures of one kind, and notes on what they do not show.

use nearfar_view::draw::{Curves, HeatMap, Picture};

/// A picture that may still be made comparable with others ([`same_scale`](super::same_scale)).
#[derive(Debug)]
pub enum SurveyPicture {
    /// A matrix.
    Map(HeatMap, Shades),
    /// Lines.
    Curves(Curves),
    /// Any other.
    Other(Box<dyn Picture>),
}

/// How the figures of a map are shaded.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Shades {
    /// In proportion.
    #[default]
    Even,
    /// With steps at these values, which are known to differ.
    Steps(Vec<f64>),
    /// In proportion within each column: columns are of different things.
    Columns,
}

/// What was found about something.
#[derive(Debug)]
pub struct Answers {
    /// What it is about.
    pub about: String,
    /// What was found, a sentence each.
    pub lines: Vec<String>,
}

/// The pictures of one kind.
#[derive(Debug, Default)]
pub struct SurveyPictures {
    /// What was found, before the pictures.
    pub answers: Vec<Answers>,
    /// The pictures.
    pub pictures: Vec<SurveyPicture>,
    /// What they do not show, and why; a sentence each.
    pub notes: Vec<String>,
}

impl SurveyPicture {
    /// The picture, to be drawn.
    pub fn picture(&self) -> &dyn Picture {
        match self {
            Self::Map(map, _) => map,
            Self::Curves(curves) => curves,
            Self::Other(picture) => picture.as_ref(),
        }
    }

    /// The picture, to be changed.
    pub(crate) fn picture_mut(&mut self) -> &mut dyn Picture {
        match self {
            Self::Map(map, _) => map,
            Self::Curves(curves) => curves,
            Self::Other(picture) => picture.as_mut(),
        }
    }

    /// The picture alone.
    pub fn into_picture(self) -> Box<dyn Picture> {
        match self {
            Self::Map(map, _) => Box::new(map),
            Self::Curves(curves) => Box::new(curves),
            Self::Other(picture) => picture,
        }
    }
}

impl SurveyPictures {
    pub(crate) fn new(
        pictures: impl IntoIterator<Item = SurveyPicture>,
        notes: impl IntoIterator<Item = String>,
    ) -> Self {
        Self {
            answers: Vec::new(),
            pictures: pictures.into_iter().collect(),
            notes: notes.into_iter().collect(),
        }
    }

    pub(crate) fn one(picture: impl Picture + 'static) -> Self {
        Self::new([SurveyPicture::Other(Box::new(picture))], [])
    }

    pub(crate) fn with_note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }
}
