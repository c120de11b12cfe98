//! The kernel's two notations for sets: lists and masks.
//!
//! Lists (`0-5,48-53`, with the stride form `0-31:2/8`) are parsed as by `bitmap_parselist` of
//! `lib/bitmap-str.c`, masks (`ff,ffffffff`: 32-bit words in hexadecimal, highest first) as by
//! `bitmap_parse`. Blanks around items are accepted. An empty text is the empty set, as in sysfs.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

use crate::id::{CpuId, Id, NodeId, ProximityDomain};
use crate::set::{IdSet, MAX_ID};

/// A text that is not a set.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{text}' is not a {noun} {form}: {why}")]
pub struct SetTextError {
    text: String,
    noun: &'static str,
    form: &'static str,
    why: String,
}

impl<T: Id> IdSet<T> {
    /// Parses the list form.
    pub fn parse_list(text: &str) -> Result<Self, SetTextError> {
        let mut set = Self::new();
        for item in text.trim().split(',').map(str::trim) {
            if item.is_empty() && text.trim().is_empty() {
                break;
            }
            let numbers = numbers(item).map_err(|why| error::<T>(text, "list", why))?;
            set.extend(numbers.map(T::from_number));
        }
        Ok(set)
    }

    /// Parses the mask form.
    pub fn parse_mask(text: &str) -> Result<Self, SetTextError> {
        let mut set = Self::new();
        for (place, word) in text.trim().rsplit(',').enumerate() {
            let digits = word.trim().trim_start_matches("0x");
            if digits.is_empty() && text.trim().is_empty() {
                break;
            }
            let fail = |why: &str| error::<T>(text, "mask", format!("'{}' {why}", shorten(word)));
            // Old kernels print one long word; newer ones 32 bits at a time.
            if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
                return Err(fail("is not hexadecimal"));
            }
            for (nibble, digit) in digits.bytes().rev().enumerate() {
                let bits = (digit as char).to_digit(16).unwrap_or(0);
                let low = place * 32 + nibble * 4;
                for bit in (0..4).filter(|bit| bits >> bit & 1 == 1) {
                    let number = u32::try_from(low + bit).ok().filter(|&number| number <= MAX_ID);
                    set.insert(T::from_number(
                        number.ok_or_else(|| fail("is beyond the largest id"))?,
                    ));
                }
            }
        }
        Ok(set)
    }

    /// Formats the mask form: 32-bit words, highest first, at least one.
    pub fn to_mask(&self) -> String {
        let halves: Vec<u32> =
            self.words().iter().flat_map(|&word| [word as u32, (word >> 32) as u32]).collect();
        let used = halves.iter().rposition(|&half| half != 0).map_or(1, |top| top + 1);
        let words: Vec<String> = (0..used)
            .rev()
            .map(|i| format!("{:08x}", halves.get(i).copied().unwrap_or(0)))
            .collect();
        words.join(",")
    }

    /// The maximal runs of consecutive ids, ascending, as inclusive pairs.
    pub fn runs(&self) -> Vec<(T, T)> {
        let mut runs: Vec<(T, T)> = Vec::new();
        for id in self.iter() {
            match runs.last_mut() {
                Some((_, last)) if last.number() + 1 == id.number() => *last = id,
                _ => runs.push((id, id)),
            }
        }
        runs
    }
}

impl<T: Id> fmt::Display for IdSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs = self.runs().into_iter().map(|(first, last)| match first == last {
            true => first.to_string(),
            false => format!("{first}-{last}"),
        });
        f.pad(&runs.collect::<Vec<_>>().join(","))
    }
}

impl<T: Id> FromStr for IdSet<T> {
    type Err = SetTextError;

    fn from_str(text: &str) -> Result<Self, SetTextError> {
        Self::parse_list(text)
    }
}

impl<T: Id> Serialize for IdSet<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

crate::schema_as!(IdSet<CpuId>: String, IdSet<NodeId>: String, IdSet<ProximityDomain>: String);

impl<'de, T: Id> Deserialize<'de> for IdSet<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse_list(&text).map_err(serde::de::Error::custom)
    }
}

/// The numbers of one item of a list: `first-last:used/group`.
fn numbers(item: &str) -> Result<impl Iterator<Item = u32>, String> {
    let (range, stride) =
        item.split_once(':').map_or((item, None), |(range, stride)| (range, Some(stride)));
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    let (first, last) = (number(first)?, number(last)?);
    if last < first {
        return Err(format!("{first}-{last} runs backwards"));
    }
    let (used, group) = match stride.map(|stride| stride.split_once('/')) {
        None => (1, 1),
        Some(Some((used, group))) => (number(used)?, number(group)?),
        Some(None) => return Err(format!("'{}' lacks its '/'", shorten(item))),
    };
    if used == 0 || group == 0 || used > group {
        return Err(format!("'{}' takes {used} of every {group}", shorten(item)));
    }
    Ok((first..=last).filter(move |n| (n - first) % group < used))
}

fn number(text: &str) -> Result<u32, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("a number is missing".to_owned());
    }
    if !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(format!("'{}' is not a number", shorten(text)));
    }
    match text.parse() {
        Ok(number) if number <= MAX_ID => Ok(number),
        _ => Err(format!("{} is larger than {MAX_ID}", shorten(text))),
    }
}

fn error<T: Id>(text: &str, form: &'static str, why: String) -> SetTextError {
    SetTextError { text: shorten(text.trim()), noun: T::NOUN, form, why }
}

/// The beginning of a text, without control characters, for one line of a message.
fn shorten(text: &str) -> String {
    const MOST: usize = 40;
    let clean: String =
        text.chars().take(MOST).map(|c| if crate::is_obeyed(c) { '?' } else { c }).collect();
    if text.chars().count() > MOST { clean + "..." } else { clean }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{CpuId, CpuSet, NodeSet};

    fn cpus(ids: &[u32]) -> CpuSet {
        ids.iter().map(|&id| CpuId(id)).collect()
    }

    #[test]
    fn reads_lists_as_the_kernel_prints_them() {
        assert_eq!(CpuSet::parse_list("0-2,5\n").unwrap(), cpus(&[0, 1, 2, 5]));
        assert_eq!(CpuSet::parse_list("\n").unwrap(), CpuSet::new());
        assert_eq!(CpuSet::parse_list("0-7:2/4").unwrap(), cpus(&[0, 1, 4, 5]));
    }

    #[test]
    fn reads_masks_of_old_and_new_kernels() {
        assert_eq!(CpuSet::parse_mask("00000001,80000000\n").unwrap(), cpus(&[31, 32]));
        assert_eq!(CpuSet::parse_mask("0x5").unwrap(), cpus(&[0, 2]));
        assert_eq!(CpuSet::parse_mask("0").unwrap(), CpuSet::new());
    }

    #[test]
    fn errors_fit_in_one_line() {
        let error = |text| CpuSet::parse_list(text).unwrap_err().to_string();
        assert_eq!(error("0-x"), "'0-x' is not a CPU list: 'x' is not a number");
        assert_eq!(error("5-3"), "'5-3' is not a CPU list: 5-3 runs backwards");
        assert_eq!(error("1,,2"), "'1,,2' is not a CPU list: a number is missing");
        assert_eq!(
            error("0-4294967295"),
            "'0-4294967295' is not a CPU list: 4294967295 is larger than 65535"
        );
        assert_eq!(error("0-7:0/4"), "'0-7:0/4' is not a CPU list: '0-7:0/4' takes 0 of every 4");
        let mask = NodeSet::parse_mask("fg").unwrap_err().to_string();
        assert_eq!(mask, "'fg' is not a node mask: 'fg' is not hexadecimal");
    }

    proptest! {
        #[test]
        fn both_forms_round_trip(ids in proptest::collection::btree_set(0..=MAX_ID, 0..60)) {
            let set: CpuSet = ids.iter().map(|&id| CpuId(id)).collect();
            prop_assert_eq!(&CpuSet::parse_list(&set.to_string()).unwrap(), &set);
            prop_assert_eq!(&CpuSet::parse_mask(&set.to_mask()).unwrap(), &set);
            let json = serde_json::to_string(&set).unwrap();
            prop_assert_eq!(serde_json::from_str::<CpuSet>(&json).unwrap(), set);
        }

        #[test]
        fn no_text_causes_a_panic(text in ".{0,80}") {
            let _ = CpuSet::parse_list(&text);
            let _ = CpuSet::parse_mask(&text);
        }
    }
}
