//! `{jobs}`, `{cpus}` and `{nodes}` in a command's words.

use nearfar_model::{CpuSet, NodeSet};

use crate::error::SweepError;

/// What stands for the placeholders.
#[derive(Clone, Copy, Debug)]
pub struct Filling<'a> {
    /// How many jobs.
    pub jobs: usize,
    /// The CPUs of the placement, in list form: fits `docker run --cpuset-cpus`.
    pub cpus: &'a CpuSet,
    /// The nodes of its memory, in list form: fits `docker run --cpuset-mems`.
    pub nodes: &'a NodeSet,
}

/// A word with its placeholders filled in. `{{` and `}}` are braces; a brace that begins no placeholder stays as it is (shells and awk use them).
pub fn fill(word: &str, filling: &Filling<'_>) -> Result<String, SweepError> {
    let mut filled = String::with_capacity(word.len());
    let mut rest = word;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, brace) = rest.split_at(at);
        filled.push_str(before);
        rest = match name(brace) {
            _ if brace.starts_with("{{") || brace.starts_with("}}") => {
                filled.push_str(&brace[..1]);
                &brace[2..]
            }
            Some(name) => {
                filled.push_str(&value(name, filling)?);
                &brace[name.len() + 2..]
            }
            None => {
                filled.push_str(&brace[..1]);
                &brace[1..]
            }
        };
    }
    filled.push_str(rest);
    Ok(filled)
}

/// The lower-case word in the braces that begin here.
fn name(brace: &str) -> Option<&str> {
    let (name, _) = brace.strip_prefix('{')?.split_once('}')?;
    (!name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase())).then_some(name)
}

fn value(name: &str, filling: &Filling<'_>) -> Result<String, SweepError> {
    match name {
        "jobs" => Ok(filling.jobs.to_string()),
        "cpus" => Ok(filling.cpus.to_string()),
        "nodes" => Ok(filling.nodes.to_string()),
        other => Err(SweepError::UnknownPlaceholder(other.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use nearfar_model::{CpuId, NodeId};

    use super::*;

    fn filled(word: &str) -> Result<String, String> {
        let (cpus, nodes) = ((0..4).map(CpuId).collect(), NodeSet::of(NodeId(2)));
        fill(word, &Filling { jobs: 8, cpus: &cpus, nodes: &nodes }).map_err(|error| error.to_string())
    }

    #[test]
    fn placeholders_are_filled_in_wherever_they_stand() {
        assert_eq!(filled("-j{jobs}").unwrap(), "-j8");
        assert_eq!(filled("--cpuset-cpus={cpus},--mems={nodes}").unwrap(), "--cpuset-cpus=0-3,--mems=2");
    }

    #[test]
    fn other_braces_stay() {
        for (word, expected) in [
            ("{ print $1 }", "{ print $1 }"),
            ("a{1,2}", "a{1,2}"),
            ("{{jobs}}", "{jobs}"),
            ("{", "{"),
            ("}x{}", "}x{}"),
        ] {
            assert_eq!(filled(word).unwrap(), expected);
        }
    }

    #[test]
    fn a_placeholder_that_there_is_not_is_told() {
        assert_eq!(
            filled("-t {threads}").unwrap_err(),
            "the command has {threads}: known are {jobs}, {cpus} and {nodes}; write {{ for a brace"
        );
    }

    proptest::proptest! {
        #[test]
        fn no_word_makes_it_panic(word in ".{0,40}") {
            let _ = filled(&word);
        }
    }
}
