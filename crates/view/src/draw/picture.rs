//! What every picture can do.

use maud::Markup;

use crate::draw::Screen;

/// What a picture is called, and what it shows in a sentence or two: a screen reader reads both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heading {
    /// A short title: "Latency, ns".
    pub title: String,
    /// What is shown, in a sentence: without its full stop where `marks` follows.
    pub shows: String,
    /// More sentences: what the marks mean, and where the figures come from.
    pub marks: String,
}

impl Heading {
    /// A heading of these words.
    pub fn new(title: impl Into<String>, shows: impl Into<String>) -> Self {
        Self { title: title.into(), shows: shows.into(), marks: String::new() }
    }

    /// A heading of a sentence, here without its full stop, and more sentences, if any.
    pub fn with_marks<'m>(
        title: impl Into<String>,
        shows: impl Into<String>,
        marks: impl IntoIterator<Item = &'m str>,
    ) -> Self {
        let marks = marks.into_iter().collect::<Vec<_>>().join(" ");
        let stop = if marks.is_empty() { "." } else { "" };
        Self { title: title.into(), shows: shows.into() + stop, marks }
    }

    /// All sentences.
    pub fn description(&self) -> String {
        if self.marks.is_empty() {
            self.shows.clone()
        } else {
            format!("{}. {}", self.shows, self.marks)
        }
    }
}

/// Elements of SVG and the room they take, in user units (CSS pixels at full size).
#[derive(Clone, Debug)]
pub struct Drawing {
    /// Never more than [`crate::draw::WIDTH`], so that text keeps its size on a page.
    pub width: f64,
    /// As high as it needs to be.
    pub height: f64,
    /// What is in it, classes of [`crate::draw::Palette::style`] and all.
    pub body: Markup,
}

/// The figures of a picture as rows of text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FigureTable {
    /// The names of its columns.
    pub columns: Vec<String>,
    /// As many cells as there are columns; the first names the row.
    pub rows: Vec<Vec<String>>,
}

impl FigureTable {
    /// A table of these columns.
    pub(crate) fn new(columns: &[&str], rows: Vec<Vec<String>>) -> Self {
        Self { columns: columns.iter().map(|&name| name.to_owned()).collect(), rows }
    }
}

/// Something that can be drawn.
pub trait Picture: std::fmt::Debug {
    /// Its title and description.
    fn heading(&self) -> &Heading;

    /// The same, to be changed.
    fn heading_mut(&mut self) -> &mut Heading;

    /// The picture itself.
    fn drawing(&self) -> Drawing;

    /// What the picture shows, in text; very large ones give what their tiles show.
    fn table(&self) -> FigureTable;

    /// The picture in characters, without its heading; none where characters cannot show it.
    fn in_terminal(&self, screen: &Screen) -> Option<String>;
}
