//! A value of a file, or why there is none.

use nearfar_model::CpuSet;
use serde::Serialize;

use crate::attribute::shorten;
use crate::source::{FileContents, Source, trimmed_text};

/// A value of one of the kernel's files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileValue<T> {
    /// The value.
    Value(T),
    /// The file exists, and is not readable.
    NotReadable,
    /// The file does not exist.
    #[default]
    Absent,
    /// The file's text, which is not of this type: at most 40 characters.
    Malformed(String),
}

impl<T> FileValue<T> {
    /// The value, if there is one.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::NotReadable | Self::Absent | Self::Malformed(_) => None,
        }
    }

    /// Parses a file's text, without surrounding whitespace.
    pub(super) fn parse(source: &Source, path: &str, parse: impl Fn(&str) -> Option<T>) -> Self {
        match source.contents(path) {
            FileContents::Absent => Self::Absent,
            FileContents::Denied => Self::NotReadable,
            FileContents::Bytes(bytes) => {
                let text = trimmed_text(&bytes);
                parse(&text).map_or_else(|| Self::Malformed(shorten(&text)), Self::Value)
            }
        }
    }
}

impl FileValue<CpuSet> {
    /// CPUs in list form.
    pub(super) fn cpus(source: &Source, path: &str) -> Self {
        Self::parse(source, path, |text| CpuSet::parse_list(text).ok())
    }

    /// CPUs as a mask.
    pub(super) fn mask(source: &Source, path: &str) -> Self {
        Self::parse(source, path, |text| CpuSet::parse_mask(text).ok())
    }
}

impl<T: std::str::FromStr> FileValue<T> {
    pub(super) fn number(source: &Source, path: &str) -> Self {
        Self::parse(source, path, |text| text.parse().ok())
    }
}
