//! memhog's arguments: options first, then a size, a policy and its nodes. Policies may be written
//! as options (`--membind`).

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use nearfar_model::Bytes;

use crate::launch::{OptionName, size};
use crate::numactl::Misuse;

#[derive(Debug, PartialEq)]
pub(super) struct MemhogRequest {
    pub(super) size: Bytes,
    pub(super) repeat: u32,
    pub(super) backing: MemhogBacking,
    /// The option of numactl for the same policy.
    pub(super) policy: OptionName,
    /// The nodes of a policy that takes some.
    pub(super) nodes: Option<String>,
}

/// What the memory is part of.
#[derive(Debug, PartialEq)]
pub(super) enum MemhogBacking {
    /// Anonymous; and whether transparent huge pages may back it.
    Fresh {
        huge: bool,
    },
    File(PathBuf),
}

impl MemhogRequest {
    pub(super) fn parse(words: Vec<OsString>) -> Result<Self, Misuse> {
        let (mut repeat, mut huge, mut file) = (1, true, None);
        let mut operands = words.into_iter().peekable();
        while let Some(option) = operands.next_if(|word| word.as_bytes().starts_with(b"-")) {
            let text = option.to_string_lossy();
            match text.get(1..2) {
                Some("f") if option.len() > 2 => {
                    file = Some(PathBuf::from(OsStr::from_bytes(&option.as_bytes()[2..])));
                }
                Some("r") => repeat = times(&text[2..])?,
                Some("H") if option.len() == 2 => huge = false,
                Some("h" | "?") | None => return Err(Misuse::HELP),
                _ => return Err(format!("unknown option '{text}'").into()),
            }
        }
        let operands: Vec<String> =
            operands.map(|word| word.to_string_lossy().into_owned()).collect();
        let mut operands = operands.into_iter();
        let size = operands.next().ok_or(Misuse::HELP)?;
        let policy = operands.next().map_or(Ok(OptionName::Default), |word| policy(&word))?;
        let takes_nodes = !matches!(policy, OptionName::Default | OptionName::Localalloc);
        let nodes = operands.next();
        if takes_nodes && nodes.is_none() {
            return Err("this policy takes nodes: memhog 1g membind 0".into());
        }
        if let Some(more) = operands.next() {
            return Err(
                format!("'{more}' is one word too many: options stand before the size").into()
            );
        }
        let backing = file.map_or(MemhogBacking::Fresh { huge }, MemhogBacking::File);
        Ok(Self {
            size: bytes(&size)?,
            repeat,
            backing,
            policy,
            nodes: nodes.filter(|_| takes_nodes),
        })
    }
}

fn bytes(text: &str) -> Result<Bytes, String> {
    let size = size::bytes(text).filter(|size| size.0 > 0);
    size.ok_or_else(|| {
        format!("'{text}' is no size: give a number above 0, with k, m or g where wanted")
    })
}

fn times(text: &str) -> Result<u32, String> {
    let times =
        size::number(text).and_then(|times| u32::try_from(times).ok()).filter(|times| *times > 0);
    times.ok_or_else(|| format!("'-r{text}': a number of times stands behind -r, as in -r3"))
}

fn policy(word: &str) -> Result<OptionName, String> {
    Ok(match word.trim_start_matches('-') {
        "default" => OptionName::Default,
        "local" => OptionName::Localalloc,
        "membind" => OptionName::Membind,
        "interleave" => OptionName::Interleave,
        "weighted-interleave" => OptionName::WeightedInterleave,
        // The spelling of older releases.
        "preferred" | "prefered" => OptionName::Preferred,
        "preferred-many" => OptionName::PreferredMany,
        _ => return Err(format!("unknown policy '{word}'")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(words: &[&str]) -> Result<MemhogRequest, Misuse> {
        MemhogRequest::parse(words.iter().map(Into::into).collect())
    }

    #[test]
    fn sizes_policies_and_options_are_read_as_memhog_reads_them() {
        let all = request(&["-r3", "-H", "15728640", "--membind", "0,1"]).unwrap();
        assert_eq!((all.size, all.repeat, all.policy), (Bytes::mib(15), 3, OptionName::Membind));
        assert_eq!(
            (all.backing, all.nodes.as_deref()),
            (MemhogBacking::Fresh { huge: false }, Some("0,1"))
        );
        let file = request(&["-f/dev/shm/pool", "1g", "interleave", "all"]).unwrap();
        assert_eq!(file.backing, MemhogBacking::File("/dev/shm/pool".into()));
        assert_eq!(request(&["2K"]).unwrap().policy, OptionName::Default);
    }

    #[test]
    fn errors_take_one_line() {
        for words in [
            &["0"][..],
            &["1x"],
            &["-1"],
            &["1g", "anywhere"],
            &["1g", "membind"],
            &["1g", "membind", "0", "more"],
            &["-r", "1g"],
            &["-rx", "1g"],
            &["-f", "1g"],
            &["99999999999999999999g"],
        ] {
            let wrong = request(words).unwrap_err();
            assert!(
                wrong.0.as_ref().is_some_and(|wrong| !wrong.contains('\n')),
                "{words:?}: {wrong:?}"
            );
        }
        assert_eq!(request(&[]), Err(Misuse::HELP));
        assert_eq!(request(&["-h"]), Err(Misuse::HELP));
    }
}
