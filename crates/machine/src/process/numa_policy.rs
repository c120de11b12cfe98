//! A memory policy in the format of `numa_maps`: `bind=static:0-1`, `prefer (many):0,2`, `weighted
//! interleave:0-3`.
//!
//! See `mpol_to_str` in the kernel's `mm/mempolicy.c`.

use std::fmt;

use nearfar_model::NodeSet;
use serde::{Serialize, Serializer};

/// The policy of a mapping: its own, else that of the thread whose file was read.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NumaPolicy {
    text: String,
    mode: NumaMode,
}

/// The mode of a policy; see set_mempolicy(2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NumaMode {
    /// The system default: local.
    Default,
    /// The node of the CPU that first touches a page.
    Local,
    /// One preferred node.
    Preferred,
    /// The nearest of several preferred nodes.
    PreferredMany,
    /// Some nodes only.
    Bind,
    /// Round-robin by page.
    Interleave,
    /// Round-robin by weight.
    WeightedInterleave,
    /// A mode that nearfar does not know.
    Other,
}

/// The kernel's names of modes; some have a blank.
const MODES: [(&str, NumaMode); 7] = [
    ("default", NumaMode::Default),
    ("local", NumaMode::Local),
    ("prefer (many)", NumaMode::PreferredMany),
    ("prefer", NumaMode::Preferred),
    ("bind", NumaMode::Bind),
    ("interleave", NumaMode::Interleave),
    ("weighted interleave", NumaMode::WeightedInterleave),
];

impl NumaPolicy {
    /// Splits the policy off the start of a text. Unknown modes are one word.
    pub(super) fn split(text: &str) -> (Self, &str) {
        let known = MODES.iter().find(|(name, _)| {
            text.strip_prefix(name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '=', ':']))
        });
        let (mode, named) = known.map_or((NumaMode::Other, 0), |(name, mode)| (*mode, name.len()));
        let end = text[named..].find(' ').map_or(text.len(), |blank| named + blank);
        (Self { text: text[..end].to_owned(), mode }, &text[end..])
    }

    /// Parses a policy such as "bind:0-1". Never fails: see [`NumaMode::Other`].
    ///
    /// # References
    ///
    /// mm/mempolicy.c: mpol_to_str
    pub fn parse(text: &str) -> Self {
        Self::split(text.trim()).0
    }

    /// Its mode.
    pub fn mode(&self) -> NumaMode {
        self.mode
    }

    /// Its nodes; empty for default and local.
    pub fn nodes(&self) -> NodeSet {
        let list = self.text.split_once(':').map_or("", |(_, list)| list);
        NodeSet::parse_list(list).unwrap_or_default()
    }

    /// Whether new pages are local to the CPU that touches them.
    pub fn is_local(&self) -> bool {
        matches!(self.mode, NumaMode::Default | NumaMode::Local)
    }

    /// The kernel's text.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for NumaPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

nearfar_model::schema_as!(NumaPolicy: String);

impl Serialize for NumaPolicy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_kernel_policies_are_parsed() {
        for (text, mode, nodes) in [
            ("default", NumaMode::Default, ""),
            ("local", NumaMode::Local, ""),
            ("prefer:1", NumaMode::Preferred, "1"),
            ("prefer (many):0,2", NumaMode::PreferredMany, "0,2"),
            ("prefer=static:255", NumaMode::Preferred, "255"),
            ("bind=static|balancing:0-1", NumaMode::Bind, "0-1"),
            ("interleave=relative:0-3", NumaMode::Interleave, "0-3"),
            ("weighted interleave:0,8", NumaMode::WeightedInterleave, "0,8"),
            ("quantum:7", NumaMode::Other, "7"),
        ] {
            let line = format!("{text} heap anon=1");
            let (policy, rest) = NumaPolicy::split(&line);
            assert_eq!((policy.text(), policy.mode(), rest), (text, mode, " heap anon=1"));
            assert_eq!(policy.nodes().to_string(), nodes, "{text}");
            assert_eq!(NumaPolicy::parse(text), policy);
        }
    }

    #[test]
    fn malformed_policies_are_accepted() {
        for text in ["", "bind:", "bind:x-", "prefer (ma", "weighted", "defaulted"] {
            let (policy, rest) = NumaPolicy::split(text);
            assert!(
                text.starts_with(policy.text())
                    && policy.nodes().is_empty()
                    && text.ends_with(rest),
                "{text}"
            );
        }
    }
}
