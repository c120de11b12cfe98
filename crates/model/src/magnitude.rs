//! Numbers too large to be measured values: computations with them overflow.

use std::fmt;

use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};

/// An upper limit of all figures of a document: bytes, nanoseconds, seeds and ratios are far
/// smaller.
pub const LARGEST_FIGURE: f64 = 1e30;

/// Any JSON whose numbers are all below [`LARGEST_FIGURE`]. The content is discarded.
pub struct Bounded;

/// Whether JSON may hold a number that is not below [`LARGEST_FIGURE`]: one with an exponent, or
/// with more than 30 consecutive digits. Most documents have neither, so that the second parse as
/// [`Bounded`] is skipped.
pub fn may_hold_large_figures(json: &[u8]) -> bool {
    const DIGITS: usize = 30;
    // Such a run includes one of these positions.
    let run = |at: usize| {
        let digits = |bytes: &mut dyn Iterator<Item = &u8>| {
            bytes.take_while(|byte| byte.is_ascii_digit()).count()
        };
        digits(&mut json[..at].iter().rev()) + digits(&mut json[at..].iter())
    };
    let long =
        (0..json.len()).step_by(DIGITS).any(|at| json[at].is_ascii_digit() && run(at) > DIGITS);
    // No early exit within a piece, so that the compiler vectorises this loop.
    let exponent = |piece: &[u8]| {
        let next = &piece[1..];
        piece
            .iter()
            .zip(next)
            .fold(false, |found, (digit, e)| found | (digit.is_ascii_digit() & (e | 32 == b'e')))
    };
    long || (0..json.len()).step_by(4096).any(|at| exponent(&json[at..json.len().min(at + 4097)]))
}

impl<'de> Deserialize<'de> for Bounded {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Bounded {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Self, E> {
        match number.abs() < LARGEST_FIGURE {
            true => Ok(self),
            false => {
                Err(E::custom(format!("the number {number:e} is larger than any that is measured")))
            }
        }
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self, A::Error> {
        while entries.next_entry::<de::IgnoredAny, Self>()?.is_some() {}
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_are_found_anywhere() {
        let is_bounded = |json: &str| serde_json::from_str::<Bounded>(json).is_ok();
        let long = format!("[{}]", "1234567890".repeat(4));
        assert!(!is_bounded(&long) && may_hold_large_figures(long.as_bytes()));
        assert!(!may_hold_large_figures(
            br#"{"emails": [1.5, -2, 18446744073709551615, "e", "see"]}"#
        ));
        assert!(is_bounded(
            r#"{"a": [1.5, -2, 18446744073709551615, null, true, "1e308"], "b": {"c": 1e-300}}"#
        ));
        let far = |figure: &str| format!("{}{figure}", " ".repeat(4095));
        assert!(
            may_hold_large_figures(far("1e308").as_bytes())
                && !may_hold_large_figures(far("1.5").as_bytes())
        );
        assert!(
            !may_hold_large_figures(b"") && !may_hold_large_figures("123".repeat(10).as_bytes())
        );
        for json in ["1e308", r#"{"a": [{"b": -1e300}]}"#, "[0, 1e30]"] {
            assert!(!is_bounded(json) && may_hold_large_figures(json.as_bytes()), "{json}");
        }
    }
}
