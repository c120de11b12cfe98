//! Where an output goes: every option that names a file has this type.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use nearfar_model::HostName;
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

/// What stands for the host's name, and for the time, in the name of a document's file.
const HOST: &str = "{host}";
const TIME: &str = "{time}";

impl OutputPath {
    /// The same with the host's name for `{host}`, and a time in UTC for `{time}`: each run has a
    /// file of its own. Wrong usage where the name has `{host}`, and none is known, or another word
    /// in braces.
    pub(crate) fn filled(
        &self,
        host: Option<&HostName>,
        now: Timestamp,
    ) -> Result<Self, WrongUsage> {
        let Some(name) = self.file().and_then(Path::to_str) else { return Ok(self.clone()) };
        let mut filled = name.replace(TIME, &now.strftime("%Y%m%dT%H%M%SZ").to_string());
        if filled.contains(HOST) {
            let host = host.ok_or_else(|| {
                WrongUsage(format!("'{name}' has {HOST}, which has no name here: add --host NAME"))
            })?;
            filled = filled.replace(HOST, &host.to_string());
        }
        if let Some(unknown) = word_in_braces(&filled) {
            return Err(WrongUsage(format!(
                "'{unknown}' of '{name}' is not known: a name may have {HOST} and {TIME}"
            )));
        }
        Ok(Self::File(filled.into()))
    }

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

/// The first word in braces.
fn word_in_braces(name: &str) -> Option<&str> {
    name.match_indices('{').find_map(|(at, _)| {
        let end = at + name[at..].find('}')?;
        let word = &name[at + 1..end];
        let mut letters = word.trim().chars();
        let is_word = letters.next().is_some_and(char::is_alphabetic)
            && letters.all(|it| it.is_alphanumeric() || matches!(it, '_' | '-' | ' '));
        is_word.then(|| &name[at..=end])
    })
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
        let now = "2026-11-26T08:00:09.5Z".parse().unwrap();
        let filled = |word: &str, host: Option<&str>| {
            let host = host.map(|name| name.parse().unwrap());
            path(word).filled(host.as_ref(), now).map(OutputPath::into_file)
        };
        let file = |name: &str| Some(PathBuf::from(name));
        let both = filled("a/{host}-{time}.json", Some("n1")).unwrap();
        assert_eq!(both, file("a/n1-20261126T080009Z.json"));
        assert_eq!(filled("{time}", None).unwrap(), file("20261126T080009Z"));
        for name in ["{}.json", "{8f-2}.json", "}{.json", "{a.b}", "{\u{e9}"] {
            assert_eq!(filled(name, None).unwrap(), file(name));
        }
        for word in ["{HOST}", "{host_name}", "{ host }", "{date2}"] {
            assert!(filled(word, Some("n1")).is_err(), "{word}");
        }
        let unknown = filled("a/{time}-{hots}.json", None).unwrap_err().to_string();
        assert!(
            unknown.starts_with("'{hots}' of 'a/{time}-{hots}.json' is not known"),
            "{unknown}"
        );
        assert_eq!(filled("-", None).unwrap(), None);
        assert!(filled("{host}", None).unwrap_err().to_string().ends_with("add --host NAME"));
        let refused = path("-").only_file("--record", "--json prints").unwrap_err();
        assert!(refused.to_string().starts_with("--record - is not"));
    }
}
