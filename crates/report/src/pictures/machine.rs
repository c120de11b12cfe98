//! The machine as it says it is put together.

use std::collections::BTreeMap;

use nearfar_survey::Survey;

use super::Shown;

/// A plan.
pub(super) fn draw(_survey: &Survey) -> Shown {
    Shown::default()
}

/// By node, the name of the package that its CPUs are in; nothing where they are in several, or nobody says.
pub(super) fn package_of_nodes(_survey: &Survey) -> BTreeMap<u32, String> {
    BTreeMap::new()
}
