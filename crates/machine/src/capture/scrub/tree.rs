//! The flattened device tree: properties that say whose machine it is, overwritten in their place.
//!
//! Layout: Devicetree Specification 0.4, chapter 5. Numbers are big-endian.

use super::names::Names;
use super::parameters;

const BEGIN_NODE: u32 = 1;
const END_NODE: u32 = 2;
const PROPERTY: u32 = 3;
const NOTHING: u32 = 4;

/// Overwrites the properties in question. A tree that cannot be read to its end is overwritten from there on.
pub(super) fn scrub(mut blob: Vec<u8>, names: &Names) -> (Vec<u8>, Vec<&'static str>) {
    let mut removed = Vec::new();
    let (Some(mut at), Some(strings)) = (number(&blob, 8), number(&blob, 12)) else {
        return (Vec::new(), vec!["all of it"]);
    };
    while let Some(step) = step(&blob, at, strings) {
        if let Some((value, name)) = step.property {
            scrub_property(&mut blob[value], &name, names, &mut removed);
        }
        at = step.next;
    }
    removed.sort_unstable();
    removed.dedup();
    (blob, removed)
}

/// What a token of the tree is.
struct Step {
    next: usize,
    /// Where a property's value lies, and its name.
    property: Option<(std::ops::Range<usize>, String)>,
}

fn step(blob: &[u8], at: usize, strings: usize) -> Option<Step> {
    let after = at.checked_add(4)?;
    match number(blob, at)? as u32 {
        BEGIN_NODE => {
            let name = blob.get(after..)?.iter().position(|&byte| byte == 0)?;
            Some(Step { next: (after + name + 1).next_multiple_of(4), property: None })
        }
        END_NODE | NOTHING => Some(Step { next: after, property: None }),
        PROPERTY => {
            let value = after + 8..(after + 8).checked_add(number(blob, after)?)?;
            blob.get(value.clone())?;
            let name = blob.get(strings.checked_add(number(blob, after + 4)?)?..)?;
            let name = name.iter().take(64).take_while(|&&byte| byte != 0).map(|&byte| char::from(byte)).collect();
            Some(Step { next: value.end.next_multiple_of(4), property: Some((value, name)) })
        }
        _ => None,
    }
}

fn number(blob: &[u8], at: usize) -> Option<usize> {
    let four = blob.get(at..at.checked_add(4)?)?;
    Some(u32::from_be_bytes(four.try_into().ok()?) as usize)
}

fn scrub_property(value: &mut [u8], name: &str, names: &Names, removed: &mut Vec<&'static str>) {
    if name == "bootargs" {
        let mut found = Vec::new();
        let text = parameters::scrub(&String::from_utf8_lossy(value), names, &mut found);
        // Words may get shorter or longer; the property may not.
        if !found.is_empty() {
            removed.push("parts of bootargs");
            value.fill(b' ');
            let length = text.len().min(value.len());
            value[..length].copy_from_slice(&text.as_bytes()[..length]);
        }
    } else if super::is_identity(name) {
        removed.push("serial numbers, addresses and seeds");
        value.fill(0);
    }
}
