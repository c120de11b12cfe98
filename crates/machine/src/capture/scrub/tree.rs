//! The flattened device tree: overwrites properties that identify the machine.

use nearfar_firmware::device_tree::{Token, Tokens};

use super::names::PrivateNames;
use super::parameters;

/// Overwrites private properties. If the tree is damaged, everything after the damage is
/// overwritten.
pub(super) fn scrub(mut blob: Vec<u8>, names: &PrivateNames) -> (Vec<u8>, Vec<&'static str>) {
    let Some(mut tokens) = Tokens::new(&blob) else { return (Vec::new(), vec!["all of it"]) };
    let mut properties = Vec::new();
    let is_whole = loop {
        match tokens.next() {
            Some(Token::Property { name, value }) => {
                properties.push((String::from_utf8_lossy(name).into_owned(), value));
            }
            Some(Token::End) => break true,
            Some(_) => {}
            None => break false,
        }
    };
    let rest = tokens.at();
    let mut removed = Vec::new();
    for (name, value) in properties {
        scrub_property(&mut blob[value], &name, names, &mut removed);
    }
    if let Some(rest) = blob.get_mut(rest..).filter(|_| !is_whole) {
        rest.fill(0);
        removed.push("what follows its damage");
    }
    (blob, removed)
}

fn scrub_property(
    value: &mut [u8],
    name: &str,
    names: &PrivateNames,
    removed: &mut Vec<&'static str>,
) {
    if name == "bootargs" {
        let mut found = Vec::new();
        let text = parameters::scrub(&String::from_utf8_lossy(value), names, &mut found);
        // The property keeps its length.
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
