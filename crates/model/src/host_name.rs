//! The name of a host, as resource managers and shells take it.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The name of one host: letters, digits, `-` and `_` in labels that dots separate (RFC 1123, with
/// the underscore of many clusters).
///
/// Slurm's commands read brackets, commas and blanks as more than one host, and some words as all
/// of them. A name in a document comes from its author: such a name is no host.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostName(String);

/// Why a text is no host's name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoHostName {
    /// There is nothing.
    #[error("it is empty")]
    Empty,
    /// It, or a label of it, is longer than a host's name can be.
    #[error("it is longer than a host's name")]
    TooLong,
    /// A character or its place.
    #[error("a host's name has letters, digits, '-' and '_' alone, such as node07")]
    Characters,
    /// A word that stands for other hosts.
    #[error("it is a word that programs take for all hosts, or for none")]
    Keyword,
}

/// Words that Slurm's commands take for something else than a host, in any case of letters.
const KEYWORDS: [&str; 5] = ["all", "any", "none", "default", "null"];
/// Characters of a name, and of a label, in DNS.
const MOST: usize = 253;
const MAX_OF_A_LABEL: usize = 63;

impl FromStr for HostName {
    type Err = NoHostName;

    fn from_str(text: &str) -> Result<Self, NoHostName> {
        let is_label = |label: &str| {
            !label.is_empty()
                && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
                && !label.starts_with('-')
                && !label.ends_with('-')
        };
        if text.is_empty() {
            Err(NoHostName::Empty)
        } else if text.len() > MOST || text.split('.').any(|label| label.len() > MAX_OF_A_LABEL) {
            Err(NoHostName::TooLong)
        } else if !text.split('.').all(is_label) {
            Err(NoHostName::Characters)
        } else if KEYWORDS.iter().any(|word| text.eq_ignore_ascii_case(word)) {
            Err(NoHostName::Keyword)
        } else {
            Ok(Self(text.to_owned()))
        }
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_host() {
        for name in ["node07", "n-1", "gpu_a.cluster.example", "10.0.0.7", "N1", "x"] {
            assert_eq!(name.parse::<HostName>().unwrap().to_string(), name);
        }
        for name in [
            "",
            " ",
            "node[00-99]",
            "a,b",
            "node07 State=IDLE",
            "--help",
            "-w",
            "a-",
            ".a",
            "a.",
            "a..b",
            "~",
            "!x",
            "@set",
            "%x",
            "a/b",
            "../a",
            "a\n",
            "\u{9b}a",
            "nöde",
            "a\u{202e}",
            "a:b",
            "$(id)",
            "`id`",
            "a;b",
            "*",
            "a=b",
            "\"a\"",
            "'a'",
            "a\\b",
            "&x",
        ] {
            assert!(name.parse::<HostName>().is_err(), "{name:?}");
        }
        for name in ["ALL", "all", "Any", "NONE", "default", "(null)", "null"] {
            assert!(name.parse::<HostName>().is_err(), "{name:?}");
        }
        assert_eq!("a".repeat(64).parse::<HostName>(), Err(NoHostName::TooLong));
        assert_eq!("a.".repeat(127).parse::<HostName>(), Err(NoHostName::TooLong));
    }
}
