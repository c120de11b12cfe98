//! Parquet's hybrid of runs and packed bits: numbers below `1 << width`.

use crate::parquet::ParquetFault;
use crate::parquet::thrift::{ThriftBytes, write_varint};

/// Equal values that are worth a run, and values that are packed together.
const PACKED: usize = 8;

/// Bits that a number of these many values has; one at least.
pub(super) fn width(values: usize) -> u32 {
    (usize::BITS - values.saturating_sub(1).leading_zeros()).max(1)
}

/// Appends numbers.
pub(super) fn write(values: &[u32], width: u32, out: &mut Vec<u8>) {
    let mut packed: Vec<u32> = Vec::new();
    let mut at = 0;
    while let Some(&value) = values.get(at) {
        let run = match packed.len() % PACKED {
            0 => values[at..].iter().take_while(|other| **other == value).count(),
            _ => 1,
        };
        if run >= PACKED {
            write_packed(&packed, width, out);
            packed.clear();
            write_varint(out, (run as u64) << 1);
            out.extend_from_slice(&value.to_le_bytes()[..width.div_ceil(8) as usize]);
        } else {
            packed.extend_from_slice(&values[at..at + run]);
        }
        at += run;
    }
    write_packed(&packed, width, out);
}

fn write_packed(values: &[u32], width: u32, out: &mut Vec<u8>) {
    if values.is_empty() {
        return;
    }
    let groups = values.len().div_ceil(PACKED);
    write_varint(out, (groups as u64) << 1 | 1);
    let (mut bits, mut known) = (0_u64, 0);
    for at in 0..groups * PACKED {
        bits |= u64::from(values.get(at).copied().unwrap_or(0)) << known;
        known += width;
        while known >= 8 {
            out.push(bits.to_le_bytes()[0]);
            bits >>= 8;
            known -= 8;
        }
    }
}

/// The next `count` numbers of this width, of at most 32 bits.
pub(super) fn read(bytes: &[u8], width: u32, count: usize) -> Result<Vec<u32>, ParquetFault> {
    if width > 32 {
        return Err(ParquetFault::Damaged("a number of it has more than 32 bits"));
    }
    let mut source = ThriftBytes::new(bytes, 0);
    let mut values = Vec::with_capacity(count);
    while values.len() < count {
        let head = source.varint()?;
        let length = usize::try_from(head >> 1).unwrap_or(usize::MAX);
        let left = count - values.len();
        if head & 1 == 0 {
            let of_value = width.div_ceil(8) as usize;
            let (value, rest) =
                source.rest.split_at_checked(of_value).ok_or(ParquetFault::CutOff)?;
            source.rest = rest;
            let mut number = [0; 4];
            number[..of_value].copy_from_slice(value);
            values.extend(std::iter::repeat_n(u32::from_le_bytes(number), length.min(left)));
            if length == 0 {
                return Err(ParquetFault::Damaged("a run of it is empty"));
            }
        } else {
            let size = length.checked_mul(width as usize).ok_or(ParquetFault::CutOff)?;
            if length == 0 {
                return Err(ParquetFault::Damaged("a run of it is empty"));
            }
            let (packed, rest) = source.rest.split_at_checked(size).ok_or(ParquetFault::CutOff)?;
            source.rest = rest;
            unpack(packed, width, length.saturating_mul(PACKED).min(left), &mut values);
        }
    }
    Ok(values)
}

fn unpack(packed: &[u8], width: u32, count: usize, values: &mut Vec<u32>) {
    let (mut bits, mut known, mut source) = (0_u64, 0, packed.iter());
    let mask = (1_u64 << width) - 1;
    for _ in 0..count {
        while known < width {
            bits |= u64::from(source.next().copied().unwrap_or(0)) << known;
            known += 8;
        }
        values.push(u32::try_from(bits & mask).unwrap_or(u32::MAX));
        bits >>= width;
        known -= width;
    }
}
