//! The newest kept survey of this machine.

use std::path::PathBuf;

use nearfar_machine::Topology;

use crate::{Content, Store, Survey};

/// The newest survey of the machine with this topology that `suffices`, and its file. Files that
/// cannot be read are passed over.
pub fn newest(
    store: &Store,
    topology: &Topology,
    suffices: impl Fn(&Survey, &Topology) -> bool,
) -> Option<(PathBuf, Survey)> {
    let kept = store.list().unwrap_or_default();
    let surveys =
        kept.into_iter().rev().filter(|kept| matches!(kept.content, Content::Survey { .. }));
    let read = surveys.filter_map(|kept| Some((crate::read_entry(&kept.path).ok()?, kept.path)));
    read.map(|(survey, path)| (path, survey))
        .find(|(_, survey)| survey.is_of(topology) && suffices(survey, topology))
}

/// The same among the surveys of this user. Without a folder for surveys there is none.
pub fn newest_of_user(
    topology: &Topology,
    suffices: impl Fn(&Survey, &Topology) -> bool,
) -> Option<(PathBuf, Survey)> {
    newest(&Store::of_user().ok()?, topology, suffices)
}
