//! Numbers too large to be measured values: computations with them overflow.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};

/// An upper limit of all figures of a document: bytes, nanoseconds, seeds and ratios are far
/// smaller.
pub const MAX_FIGURE: f64 = 1e30;

/// Smaller costs are none: their reciprocals and logarithms overflow computations, too.
const MIN_COST: f64 = 1e-30;

/// Whether a number can be a figure: no NaN, nothing infinite, nothing beyond [`MAX_FIGURE`].
pub fn is_figure(number: f64) -> bool {
    number.abs() < MAX_FIGURE
}

/// Whether a number can be a cost, a duration or a bandwidth: a figure above 0.
pub fn is_cost(number: f64) -> bool {
    number >= MIN_COST && is_figure(number)
}

/// Any JSON whose numbers are all below [`MAX_FIGURE`]. The content is discarded.
pub struct Bounded;

/// The same without negative numbers, for documents of amounts alone.
pub struct NonNegative;

impl<'de> Deserialize<'de> for Bounded {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        NumberCheck { allows_negative: true }.deserialize(deserializer).map(|()| Self)
    }
}

impl<'de> Deserialize<'de> for NonNegative {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        NumberCheck { allows_negative: false }.deserialize(deserializer).map(|()| Self)
    }
}

/// Looks at each number.
#[derive(Clone, Copy)]
struct NumberCheck {
    allows_negative: bool,
}

impl NumberCheck {
    fn check<E: Error>(self, number: f64) -> Result<(), E> {
        if !is_figure(number) {
            let why = format!("the number {number:e} is larger than any that is measured");
            return Err(E::custom(why));
        }
        if number < 0.0 && !self.allows_negative {
            return Err(E::custom(format!("the number {number:e} is below 0")));
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for NumberCheck {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for NumberCheck {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<(), E> {
        self.check(number)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<(), E> {
        self.check(number as f64)
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(self)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        while entries.next_key::<de::IgnoredAny>()?.is_some() {
            entries.next_value_seed(self)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_figures_above_zero() {
        for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e30, -1e30] {
            assert!(!is_figure(number) && !is_cost(number), "{number}");
        }
        for number in [0.0, -0.0, -1.0, f64::MIN_POSITIVE, 1e-320] {
            assert!(is_figure(number) && !is_cost(number), "{number}");
        }
        assert!(is_cost(1e-9) && is_cost(97.5) && is_cost(4e11));
    }

    #[test]
    fn large_numbers_are_found_anywhere() {
        let is_bounded = |json: &str| serde_json::from_str::<Bounded>(json).is_ok();
        assert!(!is_bounded(&format!("[{}]", "1234567890".repeat(4))));
        assert!(is_bounded(
            r#"{"a": [1.5, -2, 18446744073709551615, null, true, "1e308"], "b": {"c": 1e-300}}"#
        ));
        let is_non_negative = |json: &str| serde_json::from_str::<NonNegative>(json).is_ok();
        assert!(is_non_negative(r#"[0, -0.0, {"a": 1.5}, "-1", null]"#));
        for json in ["-1", "[-0.5]", r#"{"a": [{"b": -1e-300}]}"#, "1e30"] {
            assert!(!is_non_negative(json), "{json}");
        }
        for json in ["1e308", r#"{"a": [{"b": -1e300}]}"#, "[0, 1e30]"] {
            assert!(!is_bounded(json), "{json}");
        }
    }
}
