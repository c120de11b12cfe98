//! What carries the memory of a column.

/// The memory of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// How many pages (or buffers) it has.
    pub pages: u32,
    /// What carries it: "thp", "hugetlb" or "4k".
    pub backing: String,
    /// What the reader should know: the first note that any process made.
    pub note: Option<String>,
}
