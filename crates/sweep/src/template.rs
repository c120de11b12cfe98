//! `{jobs}`, `{cpus}` and `{nodes}` in a command's words.

use nearfar_model::{CpuSet, NodeSet};

/// What stands for the placeholders.
#[derive(Clone, Copy, Debug)]
pub struct Placeholders<'a> {
    /// How many jobs.
    pub jobs: usize,
    /// The CPUs of the placement, in list form: fits `docker run --cpuset-cpus`.
    pub cpus: &'a CpuSet,
    /// The nodes of its memory, in list form: fits `docker run --cpuset-mems`.
    pub nodes: &'a NodeSet,
}

/// A word with its placeholders filled in. `{{jobs}}` is `{jobs}`; all other braces stay as they
/// are, and so does what a shell would fill in itself (`${jobs}`).
pub fn fill(word: &str, filling: &Placeholders<'_>) -> String {
    let values = [
        ("{jobs}", filling.jobs.to_string()),
        ("{cpus}", filling.cpus.to_string()),
        ("{nodes}", filling.nodes.to_string()),
    ];
    let mut filled = String::with_capacity(word.len());
    let mut rest = word;
    while let Some(brace) = rest.find('{') {
        let (before, after) = rest.split_at(brace);
        filled.push_str(before);
        let found = values.iter().find_map(|(name, value)| placeholder(after, name, value));
        let (text, length) = found.unwrap_or(("{", 1));
        let is_the_shells = before.ends_with('$');
        filled.push_str(if is_the_shells { &after[..length] } else { text });
        rest = &after[length..];
    }
    filled.push_str(rest);
    filled
}

/// What stands for the placeholder that begins here, and how long the placeholder is.
fn placeholder<'t>(text: &str, name: &'t str, value: &'t str) -> Option<(&'t str, usize)> {
    let doubled =
        text.strip_prefix('{').and_then(|inner| inner.strip_prefix(name)?.strip_prefix('}'));
    match doubled {
        Some(_) => Some((name, name.len() + 2)),
        None => text.starts_with(name).then_some((value, name.len())),
    }
}

#[cfg(test)]
mod tests {
    use nearfar_model::{CpuId, NodeId};

    use super::*;

    fn filled(word: &str) -> String {
        let (cpus, nodes) = ((0..4).map(CpuId).collect(), NodeSet::from_id(NodeId(2)));
        fill(word, &Placeholders { jobs: 8, cpus: &cpus, nodes: &nodes })
    }

    #[test]
    fn placeholders_are_filled_in_anywhere() {
        assert_eq!(filled("-j{jobs}"), "-j8");
        assert_eq!(filled("--cpuset-cpus={cpus},--mems={nodes}"), "--cpuset-cpus=0-3,--mems=2");
    }

    #[test]
    fn other_braces_stay() {
        for (word, expected) in [
            ("{ print $1 }", "{ print $1 }"),
            ("a{1,2}", "a{1,2}"),
            ("{{jobs}}", "{jobs}"),
            ("{", "{"),
            ("}x{}", "}x{}"),
            (r#"{"a":{"b":3}}"#, r#"{"a":{"b":3}}"#),
            ("{print} -I{foo} {{x}}", "{print} -I{foo} {{x}}"),
            ("for ${jobs} {jobs}", "for ${jobs} 8"),
        ] {
            assert_eq!(filled(word), expected);
        }
    }

    proptest::proptest! {
        #[test]
        fn no_word_panics(word in ".{0,40}") {
            let _ = filled(&word);
        }
    }
}
