//! Numbers too large to be measured values: computations with them overflow.

use std::fmt;

use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};

/// An upper limit of all figures of a document: bytes, nanoseconds, seeds and ratios are far
/// smaller.
pub const LARGEST_FIGURE: f64 = 1e30;

/// Any JSON whose numbers are all below [`LARGEST_FIGURE`]. The content is discarded.
pub struct Bounded;

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
        assert!(!is_bounded(&format!("[{}]", "1234567890".repeat(4))));
        assert!(is_bounded(
            r#"{"a": [1.5, -2, 18446744073709551615, null, true, "1e308"], "b": {"c": 1e-300}}"#
        ));
        for json in ["1e308", r#"{"a": [{"b": -1e300}]}"#, "[0, 1e30]"] {
            assert!(!is_bounded(json), "{json}");
        }
    }
}
