//! JSON that a document's type leaves open, with as many values as machines have.
//!
//! A value takes two bytes of text and 32 of memory.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// Many times the settings, the labels or the distances of the largest machine.
const MAX_VALUES: usize = 1 << 20;

/// Reads a value.
pub fn limited_value<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    LimitedValue(&Cell::new(MAX_VALUES)).deserialize(deserializer)
}

/// Reads an object.
pub fn limited_map<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Map<String, Value>, D::Error> {
    match limited_value(deserializer)? {
        Value::Object(map) => Ok(map),
        _ => Err(Error::custom("expected an object")),
    }
}

/// Reads one of the values that share a limit.
#[derive(Clone, Copy)]
pub(crate) struct LimitedValue<'l>(&'l Cell<usize>);

impl<'l> LimitedValue<'l> {
    /// The limit of several values together.
    pub(crate) const fn limit() -> Cell<usize> {
        Cell::new(MAX_VALUES)
    }

    pub(crate) const fn of(left: &'l Cell<usize>) -> Self {
        Self(left)
    }
}

impl<'de> DeserializeSeed<'de> for LimitedValue<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        match self.0.get().checked_sub(1) {
            Some(left) => self.0.set(left),
            None => {
                return Err(Error::custom(format!(
                    "more than {MAX_VALUES} values where a machine has hundreds"
                )));
            }
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for LimitedValue<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        Ok(list.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(name) = entries.next_key()? {
            map.insert(name, entries.next_value_seed(self)?);
        }
        Ok(map.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> serde_json::Result<Value> {
        limited_value(&mut serde_json::Deserializer::from_str(text))
    }

    #[test]
    fn values_are_as_they_are_in_the_text() {
        let text = r#"{"a":[1,-2,0.5,true,null,"x",{}],"b":18446744073709551615}"#;
        assert_eq!(read(text).unwrap(), serde_json::from_str::<Value>(text).unwrap());
        let map = limited_map(&mut serde_json::Deserializer::from_str("[]"));
        assert!(map.unwrap_err().to_string().starts_with("expected an object"));
    }

    #[test]
    fn more_values_than_a_machine_has_are_refused() {
        let many = |count: usize| format!("[{}0]", "0,".repeat(count));
        assert!(read(&many(1 << 16)).is_ok());
        let error = read(&many(MAX_VALUES)).unwrap_err().to_string();
        assert!(error.starts_with("more than 1048576 values"), "{error}");
    }
}
