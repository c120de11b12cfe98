//! Where an output goes: every option that names a file has this type.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use nearfar_view::terminal::exit::WrongUsage;

/// A file, or standard output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OutputPath {
    /// Written `-`.
    StandardOutput,
    /// Any other name; `./-` is a file.
    File(PathBuf),
}

impl From<OsString> for OutputPath {
    fn from(word: OsString) -> Self {
        if word == "-" { Self::StandardOutput } else { Self::File(word.into()) }
    }
}

impl OutputPath {
    /// The file; `None` for standard output.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            Self::StandardOutput => None,
            Self::File(path) => Some(path),
        }
    }

    /// The same by value.
    pub(crate) fn into_file(self) -> Option<PathBuf> {
        match self {
            Self::StandardOutput => None,
            Self::File(path) => Some(path),
        }
    }

    /// Whether it is standard output.
    pub(crate) fn is_standard_output(&self) -> bool {
        *self == Self::StandardOutput
    }

    /// The file of an option that cannot print: `instead` names what does.
    pub(crate) fn only_file(&self, option: &str, instead: &str) -> Result<&Path, WrongUsage> {
        self.file().ok_or_else(|| {
            WrongUsage(format!("{option} - is not standard output: {instead}; ./- names a file"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hyphen_is_standard_output() {
        let path = |word: &str| OutputPath::from(OsString::from(word));
        assert!(path("-").is_standard_output() && path("-").file().is_none());
        for name in ["./-", "--", "a", ""] {
            assert_eq!(path(name).into_file(), Some(PathBuf::from(name)));
        }
        let refused = path("-").only_file("--record", "--json prints").unwrap_err();
        assert!(refused.to_string().starts_with("--record - is not"));
    }
}
