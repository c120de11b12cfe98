//! How are numbers drawn?
//!
//! This module knows pictures, not machines: heat maps, curves, dots, a front, a timeline, a plan
//! of packages, a graph of links. Every [`Picture`] is the same thing three times: a drawing (SVG),
//! a [`FigureTable`] with the same figures for who cannot see it, and, where that makes sense,
//! characters on a terminal ([`Screen`]).
//!
//! - [`standalone`] makes an SVG document of a picture, light or dark ([`Theme`]); [`inline`] makes
//!   the element that a page holds, which takes the page's colours ([`Palette`]).
//! - Colours come from one [`Palette`] and one ramp (cividis), chosen so that colour-blind readers
//!   and grey printers lose nothing; and no meaning is in colour alone.
//! - The same picture always gives the same bytes. Text from documents stays text: nothing in a
//!   label is markup.
//!
//! Nothing here reads a file, a clock or a terminal.

mod axis;
mod beneath;
mod block;
mod canvas;
mod characters;
#[cfg(test)]
mod colour_vision;
mod curves;
mod dots;
mod figure;
mod front;
mod heat_map;
mod label;
mod link_costs;
mod link_graph;
mod machine_plan;
mod palette;
mod ramp;
mod ruler;
mod svg;
mod thinned;
mod timeline;

use maud::{Markup, html};

use block::Frame;
use canvas::{rectangle, text};
use figure::{bytes, precise};
use label::{SIZE, fitted, width};

pub use curves::{CurvePoint, Curves, PlaceMark, Series};
pub use dots::{DotRow, Dots};
pub use front::{Front, FrontPoint};
pub use heat_map::{ColourScale, HeatCell, HeatLevel, HeatMap, HeatNote, MapScale};
pub use link_graph::{GraphNode, LinkGraph};
pub use machine_plan::{
    CacheGroup, CachePart, DeviceBranch, DeviceShape, Die, MachinePlan, PlanDevice, PlanInterrupts,
    PlanNode, PlanPackage, PlanSlot,
};
pub use palette::{DARK, LIGHT, Palette, Theme};
pub use svg::{WIDTH, for_both_themes, inline, standalone};
pub use timeline::{Lane, Timeline};

/// What an axis shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Quantity {
    /// Its name with its unit: "traffic, GB/s".
    pub label: String,
    /// Linear or logarithmic.
    pub spacing: AxisScale,
    /// Whether it starts at zero (linear axes only).
    pub from_zero: bool,
    /// How its ticks are written.
    pub numbers: Numbers,
    /// What the axis reaches over beside what stands on it: pictures that are compared by eye have
    /// the same axes.
    pub reach: Option<[f64; 2]>,
}

impl Quantity {
    /// A value as its axis writes numbers: a size, or precisely.
    pub(crate) fn written(&self, value: f64) -> String {
        match self.numbers {
            Numbers::Bytes => bytes(value),
            Numbers::Plain | Numbers::Whole => precise(value),
        }
    }

    /// "96.8 to 97.9"
    pub(crate) fn interval(&self, [low, high]: [f64; 2]) -> String {
        format!("{} to {}", self.written(low), self.written(high))
    }

    /// Whether a value can stand on its axis.
    pub(crate) fn can_hold(&self, value: f64) -> bool {
        value.abs() < 1e300 && (self.spacing == AxisScale::Linear || value > 0.0)
    }
}

/// How numbers on an axis are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Numbers {
    /// As they are.
    #[default]
    Plain,
    /// As sizes: 48 KiB, 2 MiB. Ticks are powers of two.
    Bytes,
    /// As counts: ticks are whole numbers.
    Whole,
}

/// How an axis goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AxisScale {
    /// Equal steps.
    #[default]
    Linear,
    /// Equal ratios; values must be positive.
    Logarithmic,
}

/// A terminal's abilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    /// Characters in a line.
    pub columns: usize,
    /// Whether it shows colours (24 bit).
    pub colours: bool,
    /// Whether it shows characters beyond ASCII: blocks and Braille.
    pub unicode: bool,
}

impl Screen {
    /// A file or a pipe: 100 characters, no colour, Unicode.
    pub const PLAIN: Self = Self { columns: 100, colours: false, unicode: true };
}

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
    /// Never more than [`WIDTH`], so that text keeps its size on a page.
    pub width: f64,
    /// As high as it needs to be.
    pub height: f64,
    /// What is in it, classes of [`Palette::style`] and all.
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

    /// The picture's figures as lines of text, where a drawing would show no more than they do.
    fn in_lines(&self) -> Vec<String> {
        Vec::new()
    }

    /// The picture in characters, without its heading; none where characters cannot show it.
    fn in_terminal(&self, screen: &Screen) -> Option<String>;
}

/// How a connection is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkSource {
    /// Measured costs show it: solid.
    #[default]
    Measured,
    /// Firmware claims it: dashed.
    Claimed,
    /// Measured costs cannot decide whether it exists: dashed.
    Open,
}

impl LinkSource {
    pub(crate) const ALL: [Self; 3] = [Self::Measured, Self::Claimed, Self::Open];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Claimed => "claimed",
            Self::Open => "undetermined",
        }
    }

    /// The class of its line.
    pub(crate) const fn class(self) -> &'static str {
        match self {
            Self::Measured => "l",
            Self::Claimed | Self::Open => "c",
        }
    }
}

/// A connection of two nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlanLink {
    /// The nodes' numbers, as [`PlanNode::id`](PlanNode::id).
    pub ends: [u32; 2],
    /// What is written at it: "167 ns".
    pub label: String,
    /// How it is known.
    pub source: LinkSource,
    /// What it costs, ns, where that was measured.
    pub cost_ns: Option<f64>,
}

impl PlanLink {
    /// "0 – 1: 167 ns, claimed".
    pub(crate) fn text(&self) -> String {
        let label = if self.label.is_empty() { String::new() } else { format!(": {}", self.label) };
        let claimed = if self.source == LinkSource::Claimed { ", claimed" } else { "" };
        format!("{} – {}{label}{claimed}", self.ends[0], self.ends[1])
    }
}
