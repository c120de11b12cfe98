//! Which memory matters: what each object of a program's memory costs where it is far.
//!
//! - [`measure_objects`]: puts half of the objects on a far node, by a folded design, in random
//!   order within blocks, while a metric is read; then it cuts the one that costs most.
//! - [`measure_threads`]: does so with threads, which run on CPUs of a node that is near their
//!   memory, and of one that is [far](thread_nodes).
//! - [`ObjectsDocument`]: the result.

mod document;
mod moving;
mod run;
mod thread_nodes;
mod threads;

use nearfar_model::Bytes;

pub use document::{MeasuredObject, OBJECTS_SCHEMA, ObjectPeriod, ObjectsDocument, ObjectsStage};
pub use run::measure_objects;
pub use thread_nodes::thread_nodes;
pub use threads::measure_threads;

use crate::explain::ResponseSettings;

/// What was asked for.
#[derive(Clone, Debug)]
pub struct ObjectsSettings {
    /// Metric, blocks or budget, period, bounds: those of a response.
    pub run: ResponseSettings,
    /// No object is cut into ranges smaller than this.
    pub range: Bytes,
    /// Whether locked memory moves, too.
    pub move_locked: bool,
}
