//! The weights of weighted interleaving as users write them: `0=5,1=2`.
//!
//! They belong to the machine, not to a program: setting them (as root) changes them for every
//! program with that policy.

use std::collections::BTreeMap;

use nearfar_model::{MAX_ID, NodeId};

use crate::launch::error::LaunchError;

/// Pages that each node gets in a turn, 1 to 255; 0 gives a node back to the kernel's own choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights(pub BTreeMap<NodeId, u8>);

impl Weights {
    /// Reads `NODE=WEIGHT,..`.
    pub(crate) fn parse(text: &str) -> Result<Self, LaunchError> {
        let mut weights = BTreeMap::new();
        for item in text.split(',') {
            let (node, weight) = one(item).map_err(|why| refused(text, why))?;
            if weights.insert(node, weight).is_some() {
                return Err(refused(text, format!("node {node} is given twice")));
            }
        }
        Ok(Self(weights))
    }
}

/// Whether a word behind `--weights` is meant as weights, right or wrong. (A program's name with a
/// `=` in it goes behind `--`.)
pub(crate) fn looks_like_weights(word: &str) -> bool {
    word.contains('=')
}

fn one(item: &str) -> Result<(NodeId, u8), String> {
    let (node, weight) = item.split_once('=').ok_or_else(|| format!("'{item}' has no '='"))?;
    let number = node.trim().parse().ok().filter(|&number| number <= MAX_ID);
    let node = number.ok_or_else(|| format!("'{node}' is not a node's number"))?;
    let weight = weight.trim().parse().map_err(|_| format!("'{weight}' is not a weight"))?;
    Ok((NodeId(node), weight))
}

fn refused(text: &str, why: String) -> LaunchError {
    LaunchError::Weights { text: text.chars().take(60).collect(), why }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn weights_read_with_sparse_nodes() {
        let read = Weights::parse("0=5, 16=2").unwrap();
        assert_eq!(read.0, BTreeMap::from([(NodeId(0), 5), (NodeId(16), 2)]));
    }

    #[test]
    fn nonsense_is_refused_by_name() {
        for (text, why) in [
            ("0", "no '='"),
            ("", "no '='"),
            ("x=1", "not a node"),
            ("99999=1", "not a node"),
            ("0=256", "not a weight"),
            ("0=-1", "not a weight"),
            ("0=1,0=2", "given twice"),
        ] {
            let refusal = Weights::parse(text).unwrap_err().to_string();
            assert!(refusal.contains(why) && !refusal.contains('\n'), "{refusal}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,20}") {
            let _ = Weights::parse(&text);
            looks_like_weights(&text);
        }
    }
}
