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
mod curves;
mod dots;
mod figure;
mod front;
mod heat_map;
mod label;
mod link;
mod link_graph;
mod machine_plan;
mod palette;
mod picture;
mod quantity;
mod ramp;
mod route;
mod ruler;
mod screen;
mod svg;
mod thinned;
mod timeline;

pub use curves::{CurvePoint, Curves, PlaceMark, Series};
pub use dots::{DotRow, Dots};
pub use front::{Front, FrontPoint};
pub use heat_map::{ColourScale, HeatCell, HeatLevel, HeatMap, HeatNote, MapScale};
pub use link::{LinkSource, PlanLink};
pub use link_graph::{GraphNode, LinkGraph};
pub use machine_plan::{
    CacheGroup, DeviceBranch, DeviceShape, Die, MachinePlan, PlanDevice, PlanInterrupts, PlanNode,
    PlanPackage,
};
pub use palette::{DARK, LIGHT, Palette, Theme};
pub use picture::{Drawing, FigureTable, Heading, Picture};
pub use quantity::{AxisScale, Numbers, Quantity};
pub use screen::Screen;
pub use svg::{WIDTH, inline, standalone};
pub use timeline::{Lane, Timeline};
