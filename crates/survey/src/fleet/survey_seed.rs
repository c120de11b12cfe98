//! A survey without what a fleet does not need: that is skipped as it is read.

use std::fmt;

use serde::Deserialize;
use serde::de::Visitor;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, IntoDeserializer, MapAccess};

use crate::Survey;
use crate::document::streamed::figures_only;

/// Parts without figures that are compared.
const NOT_NEEDED: [&str; 11] = [
    "devices",
    "interrupts",
    "fills",
    "hidden",
    "classes",
    "links",
    "claims_vs_measured",
    "advice",
    "disturbances",
    "courses",
    "samples",
];

/// Reads a survey, and notes its schema as soon as that is known: a document of another kind fails
/// there, before its other parts do.
pub(crate) struct SurveySeed<'s> {
    pub(crate) schema: &'s mut Option<String>,
}

impl<'de> DeserializeSeed<'de> for SurveySeed<'_> {
    type Value = Survey;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Survey, D::Error> {
        figures_only(|| deserializer.deserialize_map(self))
    }
}

impl<'de> Visitor<'de> for SurveySeed<'_> {
    type Value = Survey;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a survey")
    }

    fn visit_map<M: MapAccess<'de>>(self, parts: M) -> Result<Survey, M::Error> {
        let parts = NeededParts { parts, schema: self.schema, is_schema: false };
        Survey::deserialize(MapAccessDeserializer::new(parts))
    }
}

struct NeededParts<'s, M> {
    parts: M,
    schema: &'s mut Option<String>,
    is_schema: bool,
}

impl<'de, M: MapAccess<'de>> MapAccess<'de> for NeededParts<'_, M> {
    type Error = M::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, M::Error> {
        while let Some(name) = self.parts.next_key::<String>()? {
            if NOT_NEEDED.contains(&name.as_str()) {
                self.parts.next_value::<IgnoredAny>()?;
                continue;
            }
            self.is_schema = name == "schema";
            return seed.deserialize(name.into_deserializer()).map(Some);
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, M::Error> {
        if !self.is_schema {
            return self.parts.next_value_seed(seed);
        }
        let schema = self.schema.insert(self.parts.next_value()?);
        if !crate::is_readable_schema(schema) {
            return Err(M::Error::custom("another schema"));
        }
        seed.deserialize(schema.clone().into_deserializer())
    }
}
