//! A name that no GPU has.

/// No GPU has this label, address or number.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no GPU '{name}': the driver has {}", known.join(", "))]
pub struct NoSuchGpu {
    /// The name.
    pub name: String,
    /// The labels that there are.
    pub known: Vec<String>,
}
