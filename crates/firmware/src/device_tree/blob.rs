//! The flattened form: a header, a block of tokens, and a block of property names. All numbers are
//! big-endian.
//!
//! Layout: Devicetree Specification 0.4, chapter 5.

use std::ops::Range;

use super::MAGIC;
use super::{MAX_DEPTH, RawNodes};
use crate::fault::{FaultKind, Faults};

/// Maximum length of a property's name; the specification allows 31 characters.
const MAX_NAME_BYTES: usize = 64;

/// One token of a flattened tree, with its data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    /// A node begins.
    BeginNode {
        /// Its name.
        name: &'a [u8],
    },
    /// The innermost open node ends.
    EndNode,
    /// A property of that node.
    Property {
        /// Its name.
        name: &'a [u8],
        /// Position of its value, in bytes from the start of the tree.
        value: Range<usize>,
    },
    /// A NOP: removed content.
    Nothing,
    /// The tree ends.
    End,
}

/// Iterates over tokens, up to the first that cannot be read.
#[derive(Clone, Debug)]
pub struct Tokens<'a> {
    blob: &'a [u8],
    names_at: usize,
    at: usize,
}

impl<'a> Tokens<'a> {
    /// The tokens of a flattened tree; `None` if its header is cut short.
    ///
    /// # References
    ///
    /// Devicetree Specification 0.4, section 5.4
    pub fn new(blob: &'a [u8]) -> Option<Self> {
        Some(Self { blob, at: number(blob, 8)? as usize, names_at: number(blob, 12)? as usize })
    }

    /// Offset of the next token, or of the unreadable bytes, from the start of the tree.
    pub fn at(&self) -> usize {
        self.at
    }

    fn read(&self) -> Option<(Token<'a>, usize)> {
        let after = self.at.checked_add(4)?;
        match number(self.blob, self.at)? {
            1 => {
                let rest = self.blob.get(after..)?;
                let length = rest.iter().position(|&byte| byte == 0)?;
                Some((
                    Token::BeginNode { name: &rest[..length] },
                    (after + length + 1).next_multiple_of(4),
                ))
            }
            2 => Some((Token::EndNode, after)),
            3 => {
                let start = after + 8;
                let value = start..start.checked_add(number(self.blob, after)? as usize)?;
                self.blob.get(value.clone())?;
                let names = self.blob.get(self.names_at..).unwrap_or_default();
                let name = names.get(number(self.blob, after + 4)? as usize..)?;
                let name = &name[..name.len().min(MAX_NAME_BYTES)];
                let length = name.iter().position(|&byte| byte == 0);
                // A name that is cut off by the end of the tree is invalid.
                let name =
                    &name[..length.or((name.len() == MAX_NAME_BYTES).then_some(MAX_NAME_BYTES))?];
                let end = value.end.next_multiple_of(4);
                Some((Token::Property { name, value }, end))
            }
            4 => Some((Token::Nothing, after)),
            9 => Some((Token::End, after)),
            _ => None,
        }
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let (token, after) = self.read()?;
        self.at = after;
        Some(token)
    }
}

/// Reads the nodes; `None` if the bytes are no flattened tree.
pub(super) fn read(blob: &[u8], faults: &mut Faults) -> Option<RawNodes> {
    if !blob.starts_with(&MAGIC) {
        return None;
    }
    let total = number(blob, 4)? as usize;
    if total > blob.len() {
        faults.add(4, FaultKind::CutShort, || {
            format!("the tree claims {total} bytes, and the file has {}", blob.len())
        });
    }
    let blob = &blob[..total.min(blob.len())];
    let mut tokens = Tokens::new(blob)?;
    let mut tree = OpenTree::default();
    loop {
        let at = tokens.at;
        match tokens.next() {
            Some(Token::End) => return Some(tree.nodes),
            Some(token) if tree.take(&token, blob, at, faults).is_some() => {}
            _ => {
                faults.add(at, FaultKind::Damaged, || {
                    "the tree cannot be read from here on".to_owned()
                });
                return Some(tree.nodes);
            }
        }
    }
}

fn number(blob: &[u8], at: usize) -> Option<u32> {
    let four = blob.get(at..at.checked_add(4)?)?;
    Some(u32::from_be_bytes(four.try_into().ok()?))
}

/// A tree that is being read.
#[derive(Default)]
struct OpenTree {
    nodes: RawNodes,
    /// Indexes of the open nodes.
    open: Vec<usize>,
    /// Number of open nodes below the maximum depth.
    skipped: usize,
}

impl OpenTree {
    /// Handles the token at an offset; `None` if it is not allowed there.
    fn take(
        &mut self,
        token: &Token<'_>,
        blob: &[u8],
        at: usize,
        faults: &mut Faults,
    ) -> Option<()> {
        match token {
            Token::BeginNode { .. } if self.skipped > 0 || self.open.len() == MAX_DEPTH => {
                self.skipped += 1;
                faults.add(at + 4, FaultKind::Flood, || {
                    format!("nodes below level {MAX_DEPTH} are not read")
                });
            }
            // There is only one root.
            Token::BeginNode { .. } if self.open.is_empty() && !self.nodes.0.is_empty() => {
                return None;
            }
            Token::BeginNode { name } => {
                self.open.push(self.nodes.add(name, self.open.last().copied()));
            }
            Token::EndNode if self.skipped > 0 => self.skipped -= 1,
            Token::EndNode => {
                self.open.pop()?;
            }
            Token::Property { name, value } if self.skipped == 0 => {
                self.nodes.0.get_mut(*self.open.last()?)?.add(name, blob.get(value.clone())?);
            }
            Token::Property { .. } | Token::Nothing | Token::End => {}
        }
        Some(())
    }
}
