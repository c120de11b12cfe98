//! Texts of several sections.

/// Those that are not empty, an empty line apart.
pub fn sections(all: impl IntoIterator<Item = String>) -> String {
    all.into_iter().filter(|section| !section.is_empty()).collect::<Vec<_>>().join("\n")
}
