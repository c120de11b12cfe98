//! A survey's parts, as they are read: without samples.

use std::fmt;

use nearfar_model::{CpuSet, Instrument};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

use crate::fleet::figure_table::{FigureTable, FigureTables};
use crate::{MachineSummary, Provenance, limited_map, limited_value};

/// A survey's parts that a fleet reads.
#[derive(Debug, Default)]
pub(crate) struct ParsedSurvey {
    pub(crate) machine: Option<MachineSummary>,
    pub(crate) environment: Map<String, Value>,
    pub(crate) claims: ParsedClaims,
    pub(crate) provenance: Provenance,
    pub(crate) tables: Vec<(Instrument, FigureTable)>,
}

/// Settings of a machine.
#[derive(Deserialize)]
struct Environment(#[serde(deserialize_with = "limited_map")] Map<String, Value>);

/// The claims that a fleet compares.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct ParsedClaims {
    pub(crate) nodes: Vec<ParsedNode>,
    #[serde(default, deserialize_with = "limited_value")]
    pub(crate) distances: Value,
    #[serde(default)]
    pub(crate) diagnosis: Option<ParsedDiagnosis>,
}

/// A node's CPUs.
#[derive(Debug, Deserialize)]
pub(crate) struct ParsedNode {
    pub(crate) cpus: CpuSet,
}

/// The verdict on nodes.
#[derive(Debug, Deserialize)]
pub(crate) struct ParsedDiagnosis {
    #[serde(default, deserialize_with = "limited_value")]
    pub(crate) verdict: Value,
}

impl ParsedSurvey {
    /// An instrument's table. Null where it did not measure.
    fn read_table<'de, M: MapAccess<'de>>(
        &mut self,
        instrument: Instrument,
        parts: &mut M,
    ) -> Result<(), M::Error> {
        let table: Option<FigureTable> = parts.next_value()?;
        self.tables.extend(table.map(|table| (instrument, table)));
        Ok(())
    }

    /// The tables of an instrument that has several.
    fn read_tables<'de, M: MapAccess<'de>>(
        &mut self,
        instrument: Instrument,
        parts: &mut M,
    ) -> Result<(), M::Error> {
        let tables: Option<FigureTables> = parts.next_value()?;
        let tables = tables.into_iter().flat_map(FigureTables::into_tables);
        self.tables.extend(tables.map(|table| (instrument, table)));
        Ok(())
    }
}

/// Reads a survey, and notes its schema as soon as that is known: a document of another kind fails
/// there, before its other parts do.
pub(crate) struct SurveySeed<'s> {
    pub(crate) schema: &'s mut Option<String>,
}

impl<'de> DeserializeSeed<'de> for SurveySeed<'_> {
    type Value = ParsedSurvey;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<ParsedSurvey, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for SurveySeed<'_> {
    type Value = ParsedSurvey;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a survey")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut parts: M) -> Result<ParsedSurvey, M::Error> {
        let mut survey = ParsedSurvey::default();
        while let Some(name) = parts.next_key::<String>()? {
            match name.as_str() {
                "schema" => {
                    let schema = self.schema.insert(parts.next_value()?);
                    if !crate::is_readable_schema(schema) {
                        return Err(M::Error::custom("another schema"));
                    }
                }
                "machine" => survey.machine = Some(parts.next_value()?),
                "environment" => survey.environment = parts.next_value::<Environment>()?.0,
                "claims" => survey.claims = parts.next_value()?,
                "provenance" => survey.provenance = parts.next_value()?,
                "latency" => survey.read_table(Instrument::Latency, &mut parts)?,
                "page_size" => survey.read_table(Instrument::PageSize, &mut parts)?,
                "bandwidth" => survey.read_table(Instrument::Bandwidth, &mut parts)?,
                "loaded" => survey.read_table(Instrument::Loaded, &mut parts)?,
                "core_to_core" => survey.read_table(Instrument::CoreToCore, &mut parts)?,
                "caches" => survey.read_table(Instrument::Caches, &mut parts)?,
                "interleave" => survey.read_tables(Instrument::Interleave, &mut parts)?,
                "io" => survey.read_tables(Instrument::Io, &mut parts)?,
                "gpu" => survey.read_tables(Instrument::Gpu, &mut parts)?,
                _ => {
                    parts.next_value::<IgnoredAny>()?;
                }
            }
        }
        match (&self.schema, &survey.machine) {
            (None, _) => Err(M::Error::custom("it has no \"schema\"")),
            (_, None) => Err(M::Error::missing_field("machine")),
            _ => Ok(survey),
        }
    }
}
