//! Device trees: only the properties that rules read, with known words.

use std::ops::Range;

use nearfar_firmware::device_tree::{Token, Tokens, TreeBuilder};

use super::Removed;
use super::words::{Grammar, has_text, known_bytes};

/// Properties with texts; others that are read have numbers.
const TEXTS: [&str; 4] = ["compatible", "device_type", "model", "status"];
/// The header, and offsets in it: of the names of properties, and their size.
const HEADER_BYTES: usize = 40;
const NAMES_AT: usize = 12;
const NAMES_BYTES: usize = 32;

/// The flattened tree with the same layout. Nothing after damage is kept.
pub(super) fn scrub(blob: &[u8], removed: &mut Removed) -> Vec<u8> {
    let mut kept = vec![0; blob.len()];
    let mut copy = |range: Range<usize>, bytes: &[u8]| {
        kept.get_mut(range).into_iter().for_each(|part| part.copy_from_slice(bytes));
    };
    let (Some(header), Some(mut tokens)) = (blob.get(..HEADER_BYTES), Tokens::new(blob)) else {
        removed.note("all of it");
        return kept;
    };
    copy(0..HEADER_BYTES, header);
    let mut wanted = Vec::new();
    loop {
        let at = tokens.at();
        let Some(token) = tokens.next() else {
            removed.note("what follows its damage");
            break;
        };
        let head = if matches!(token, Token::Property { .. }) { 12 } else { 4 };
        copy(at..at + head, &blob[at..at + head]);
        match token {
            Token::BeginNode { name } => {
                copy(at + 4..at + 4 + name.len(), &node_name(name));
            }
            Token::Property { name, value } => {
                let text = String::from_utf8_lossy(name);
                if TreeBuilder::keeps(&text) {
                    let from = name.as_ptr() as usize - blob.as_ptr() as usize;
                    wanted.push(from..from + name.len());
                }
                copy(value.clone(), &property(&text, &blob[value], removed));
            }
            Token::End => break,
            Token::EndNode | Token::Nothing => {}
        }
    }
    let number = |at: usize| {
        blob.get(at..at + 4).map_or(0, |four| {
            four.iter().fold(0usize, |number, &byte| number << 8 | usize::from(byte))
        })
    };
    let names = number(NAMES_AT)..number(NAMES_AT).saturating_add(number(NAMES_BYTES));
    for at in names.start..names.end.min(blob.len()) {
        let is_wanted = blob[at] == 0 || wanted.iter().any(|name| name.contains(&at));
        copy(at..at + 1, if is_wanted { &blob[at..=at] } else { b"x" });
    }
    kept
}

/// "memory@80000000": known words, and digits of an address.
fn node_name(name: &[u8]) -> Vec<u8> {
    let at = name.iter().position(|&byte| byte == b'@').unwrap_or(name.len());
    let (name, unit) = name.split_at(at);
    let mut kept = known_bytes(name, Grammar::Numbers).unwrap_or_else(|| name.to_vec());
    let is_unit = |byte: &u8| byte.is_ascii_hexdigit() || b"@,".contains(byte);
    kept.extend(
        unit.iter().map(|byte| if is_unit(byte) && unit.len() <= 12 { *byte } else { b'x' }),
    );
    kept
}

/// The value of a property, with the same length.
pub(super) fn property(name: &str, value: &[u8], removed: &mut Removed) -> Vec<u8> {
    // Numbers are cells of four bytes; their first is zero in most.
    let is_text = has_text(value);
    if TEXTS.contains(&name) {
        let mut kept = value.to_vec();
        for text in kept.split_mut(|&byte| byte == 0) {
            if let Some(known) = known_bytes(text, Grammar::Models) {
                removed.note("words that are not known");
                text.copy_from_slice(&known);
            }
        }
        kept
    } else if TreeBuilder::keeps(name) && !is_text {
        value.to_vec()
    } else {
        removed.note("properties that are not read");
        vec![0; value.len()]
    }
}
