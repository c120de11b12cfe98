//! Thrift's compact protocol, in which Parquet describes a file.

use std::collections::BTreeMap;

use crate::parquet::ParquetFault;

/// Structures within structures: Parquet has fewer.
const MAX_DEPTH: usize = 12;

const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const I16: u8 = 4;
const I32: u8 = 5;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const STRUCT: u8 = 12;

/// A value of a structure.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Thrift {
    /// An i32, which Parquet has for small numbers and enumerations.
    Small(i32),
    Integer(i64),
    Bytes(Vec<u8>),
    /// Elements of one type.
    List(Vec<Thrift>),
    /// Fields by number, ascending.
    Struct(BTreeMap<i16, Thrift>),
    /// What Parquet's structures have, and no reader here needs.
    Other,
}

impl Thrift {
    /// A structure of these fields.
    pub(super) fn of(fields: impl IntoIterator<Item = (i16, Self)>) -> Self {
        Self::Struct(fields.into_iter().collect())
    }

    pub(super) fn text(text: &str) -> Self {
        Self::Bytes(text.as_bytes().to_vec())
    }

    /// A field of a structure.
    pub(super) fn field(&self, number: i16) -> Option<&Self> {
        match self {
            Self::Struct(fields) => fields.get(&number),
            _ => None,
        }
    }

    /// A field that is a number.
    pub(super) fn number(&self, field: i16) -> Option<i64> {
        match self.field(field)? {
            Self::Small(number) => Some(i64::from(*number)),
            Self::Integer(number) => Some(*number),
            _ => None,
        }
    }

    /// A field that is a size.
    pub(super) fn size(&self, field: i16) -> Option<usize> {
        usize::try_from(self.number(field)?).ok()
    }

    /// A field that is text.
    pub(super) fn str(&self, field: i16) -> Option<&str> {
        match self.field(field)? {
            Self::Bytes(bytes) => std::str::from_utf8(bytes).ok(),
            _ => None,
        }
    }

    /// A field that is a list; empty without it.
    pub(super) fn list(&self, field: i16) -> &[Self] {
        match self.field(field) {
            Some(Self::List(all)) => all,
            _ => &[],
        }
    }

    fn code(&self) -> u8 {
        match self {
            Self::Small(_) => I32,
            Self::Integer(_) => I64,
            Self::Bytes(_) => BINARY,
            Self::List(_) => LIST,
            Self::Struct(_) | Self::Other => STRUCT,
        }
    }

    /// Appends its bytes.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Small(number) => write_varint(out, zigzag(i64::from(*number))),
            Self::Integer(number) => write_varint(out, zigzag(*number)),
            Self::Bytes(bytes) => {
                write_varint(out, bytes.len() as u64);
                out.extend_from_slice(bytes);
            }
            Self::List(all) => {
                let code = all.first().map_or(STRUCT, Self::code);
                match u8::try_from(all.len()).ok().filter(|count| *count < 15) {
                    Some(count) => out.push(count << 4 | code),
                    None => {
                        out.push(0xf0 | code);
                        write_varint(out, all.len() as u64);
                    }
                }
                all.iter().for_each(|one| one.write(out));
            }
            Self::Struct(fields) => write_fields(fields, out),
            Self::Other => out.push(0),
        }
    }
}

fn write_fields(fields: &BTreeMap<i16, Thrift>, out: &mut Vec<u8>) {
    let mut last = 0;
    for (&number, value) in fields {
        match u8::try_from(number - last).ok().filter(|step| (1..=15).contains(step)) {
            Some(step) => out.push(step << 4 | value.code()),
            None => {
                out.push(value.code());
                write_varint(out, zigzag(i64::from(number)));
            }
        }
        value.write(out);
        last = number;
    }
    out.push(0);
}

pub(super) fn write_varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

fn zigzag(number: i64) -> u64 {
    u64::from_ne_bytes(((number << 1) ^ (number >> 63)).to_ne_bytes())
}

/// Bytes that are read from the front.
pub(super) struct ThriftBytes<'b> {
    pub(super) rest: &'b [u8],
    /// How many values more they may have: each takes many times its bytes.
    values: usize,
}

impl<'b> ThriftBytes<'b> {
    /// Bytes that have this many values at most.
    pub(super) fn new(rest: &'b [u8], values: usize) -> Self {
        Self { rest, values }
    }

    /// The next structure.
    pub(super) fn structure(&mut self) -> Result<Thrift, ParquetFault> {
        self.fields(0)
    }

    fn fields(&mut self, depth: usize) -> Result<Thrift, ParquetFault> {
        if depth > MAX_DEPTH {
            return Err(ParquetFault::Damaged("its structures are too deep"));
        }
        let (mut fields, mut number) = (BTreeMap::new(), 0_i16);
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Ok(Thrift::Struct(fields));
            }
            let step = i16::from(head >> 4);
            number = match step {
                0 => i16::try_from(self.integer()?).map_err(|_| TOO_LARGE)?,
                step => number.checked_add(step).ok_or(TOO_LARGE)?,
            };
            let value = match head & 15 {
                TRUE | FALSE => {
                    self.values = self.values.checked_sub(1).ok_or(TOO_MANY)?;
                    Thrift::Other
                }
                code => self.value(code, depth)?,
            };
            fields.insert(number, value);
        }
    }

    fn value(&mut self, code: u8, depth: usize) -> Result<Thrift, ParquetFault> {
        self.values = self.values.checked_sub(1).ok_or(TOO_MANY)?;
        Ok(match code {
            TRUE | FALSE | BYTE => self.byte().map(|_| Thrift::Other)?,
            I16 | I32 => Thrift::Small(i32::try_from(self.integer()?).map_err(|_| TOO_LARGE)?),
            I64 => Thrift::Integer(self.integer()?),
            DOUBLE => self.take(8).map(|_| Thrift::Other)?,
            BINARY => {
                let length = usize::try_from(self.varint()?).map_err(|_| TOO_LARGE)?;
                Thrift::Bytes(self.take(length)?.to_vec())
            }
            LIST | SET => self.elements(depth)?,
            STRUCT => self.fields(depth + 1)?,
            _ => return Err(ParquetFault::Damaged("its description has an unknown type")),
        })
    }

    fn elements(&mut self, depth: usize) -> Result<Thrift, ParquetFault> {
        let head = self.byte()?;
        let count = match head >> 4 {
            15 => self.varint()?,
            count => u64::from(count),
        };
        // An element has a byte at least.
        let count = usize::try_from(count).ok().filter(|count| *count <= self.rest.len());
        let count = count.ok_or(ParquetFault::CutOff)?;
        let elements = (0..count).map(|_| match head & 15 {
            // Within lists, structures count as a level of their own.
            LIST | SET if depth >= MAX_DEPTH => {
                Err(ParquetFault::Damaged("its structures are too deep"))
            }
            code => self.value(code, depth + 1),
        });
        Ok(Thrift::List(elements.collect::<Result<_, _>>()?))
    }

    fn take(&mut self, length: usize) -> Result<&'b [u8], ParquetFault> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(ParquetFault::CutOff)?;
        self.rest = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, ParquetFault> {
        Ok(self.take(1)?[0])
    }

    pub(super) fn varint(&mut self) -> Result<u64, ParquetFault> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(TOO_LARGE)
    }

    fn integer(&mut self) -> Result<i64, ParquetFault> {
        let number = self.varint()?;
        let signs = if number & 1 == 1 { u64::MAX } else { 0 };
        Ok(i64::from_ne_bytes(((number >> 1) ^ signs).to_ne_bytes()))
    }
}

const TOO_MANY: ParquetFault = ParquetFault::Damaged("its description is too long");
const TOO_LARGE: ParquetFault = ParquetFault::Damaged("a number of its description is too large");
