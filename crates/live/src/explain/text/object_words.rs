//! Words of objects and threads.

use nearfar_infer::object_effects::ObjectVerdict;
use nearfar_process::{MemoryObject, ObjectKind};
use nearfar_view::terminal::printable;
use nearfar_view::text::percent::share;

use crate::explain::{MeasuredObject, ObjectsStage};

/// "/dev/shm/x", "anonymous memory 7f00-7f10".
pub(super) fn object_name(object: &MemoryObject) -> String {
    let name = printable::line(&object.name);
    match object.kind {
        ObjectKind::Anonymous => format!("anonymous memory {name}"),
        _ => name.into_owned(),
    }
}

/// "8.0 GiB"; of a thread "98 % of a CPU".
pub(super) fn size(one: &MeasuredObject) -> String {
    match one.busy_cpus {
        Some(cpus) => format!("{} of a CPU", share(cpus)),
        None => one.object.bytes.to_string(),
    }
}

/// Memory, or a thread.
pub(super) fn noun(stage: &ObjectsStage) -> &'static str {
    if stage.is_of_threads() { "thread" } else { "object" }
}

pub(super) fn verdict(verdict: ObjectVerdict) -> &'static str {
    match verdict {
        ObjectVerdict::Costs => "costs",
        ObjectVerdict::FarIsFaster => "far is faster",
        ObjectVerdict::DoesNotMatter => "does not matter",
        ObjectVerdict::Undetermined => "undetermined",
    }
}
